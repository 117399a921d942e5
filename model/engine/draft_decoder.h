// The drafts of one sentence under a policy that makes them (Drafting in policies/policy.h): which
// step comes next, and which tokens are written.
//
// Every draft begins at target index 0: what was written is forced, so that its states see the
// source of this draft, as in a translation from the beginning. The sentence's tokens depend on its
// source tokens alone, never on how many had come when.
//
// Thread-safety: none; one owner.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "policies/policy.h"

namespace surtitle {

class DraftTrack {
 public:
  explicit DraftTrack(const Drafting& rule);

  // What the sentence begins with, whatever is predicted: it is written where drafts agree on as
  // many tokens, or by the last draft. REQUIRES: nothing taken.
  void force(std::vector<int> tokens);

  // Under a rule of meaning units: looks for the end of the next one among the source tokens that
  // are encoded, where the draft under way does not know yet how much it sees. `unit_end` tells a
  // position's probability to end one.
  void seek(int encoded, const std::function<float(int)>& unit_end);

  // The step under way: source tokens that its draft sees where the sentence has as many
  // (kWholeSource while no unit has ended), its index, the token before (end of sentence at the
  // begin).
  int visible() const { return visible_; }
  int target_index() const { return static_cast<int>(draft_.size()); }
  int previous() const;
  // The tokens of the draft under way so far.
  const std::vector<int>& draft() const { return draft_; }
  // Whether the step's token is written already, so that what it predicts does not matter.
  bool follows_written() const { return draft_.size() < written_.size(); }

  // What the step predicted; the end-of-sentence token ends the draft, but where a written token
  // stands. `whole`: the draft sees the finished source. Returns the tokens that are written now.
  std::vector<int> take(int token, bool whole);

  // Whether the draft that sees the whole source has ended: nothing is left to do.
  bool complete() const { return complete_; }

 private:
  void begin_draft();
  std::vector<int> write_until(std::size_t count);
  std::size_t agreed_or_forced();
  std::size_t agreed() const;

  Drafting rule_;
  int visible_ = 0;
  int sought_ = 0;  // source tokens among which the next unit's end was looked for
  bool complete_ = false;
  std::vector<int> draft_;
  std::deque<std::vector<int>> earlier_;  // the drafts before, newest last
  std::vector<int> forced_;
  std::vector<int> written_;  // what every draft from now on begins with
};

}  // namespace surtitle
