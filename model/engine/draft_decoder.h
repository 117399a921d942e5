// The drafts of one sentence under a policy that makes them.
//
// It decides which step is next and which tokens are written (Drafting in policies/policy.h).
//
// A draft begins at target index 0, with the written tokens forced, so that their states see the
// source of this draft, as in a translation from the beginning. Under Drafting::continues it begins
// after the written tokens, which keep their states. In both cases, the sentence's tokens depend on
// its source tokens alone, never on when they arrived.
//
// Thread-safety: none; one owner.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "policies/policy.h"

namespace surtitle {

class DraftDecoder {
 public:
  explicit DraftDecoder(const Drafting& rule);

  // Sets the tokens with which the sentence begins, whatever is predicted. They are written when
  // drafts agree on as many tokens, or by the last draft. REQUIRES: accept() has not been called.
  void force(std::vector<int> tokens);

  // Under a rule of meaning units, searches the encoded source for the end of the next unit, unless
  // the draft under way has one. `unit_end` returns the probability that a position ends a unit.
  void extend_visibility(int encoded, const std::function<float(int)>& unit_end);

  // The step under way. visible(): source tokens of its draft, or kWholeSource while no unit has
  // ended; the sentence may have fewer. target_index(): index of the step. previous(): the token
  // before it, or end of sentence at the begin.
  int visible() const { return visible_; }
  int target_index() const { return static_cast<int>(draft_.size()); }
  int previous() const;
  // The tokens of the draft under way so far.
  const std::vector<int>& draft() const { return draft_; }
  // Whether the step's token is written already, so that what it predicts does not matter.
  bool follows_written() const { return draft_.size() < written_.size(); }

  // Adds the token that the step predicted and returns the tokens that this writes. An
  // end-of-sentence token ends the draft, except at the index of a written token. `whole`: the
  // draft sees the finished source.
  std::vector<int> accept(int token, bool whole);

  // Returns true when the draft that sees the whole source has ended.
  bool complete() const { return complete_; }

 private:
  void begin_draft();
  std::vector<int> write_until(std::size_t count);
  // Returns the number of tokens that the drafts agree on. If these differ from the forced tokens,
  // replaces the drafts by the forced ones.
  std::size_t agreed_or_forced();
  std::size_t agreed() const;

  Drafting rule_;
  int visible_ = 0;
  int searched_ = 0;  // source tokens searched for the next unit's end
  bool complete_ = false;
  std::vector<int> draft_;
  std::deque<std::vector<int>> earlier_;  // the drafts before, newest last
  std::vector<int> forced_;
  std::vector<int> written_;  // every later draft begins with these
};

}  // namespace surtitle
