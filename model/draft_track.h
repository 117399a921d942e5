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
#include <vector>

#include "policies/policy.h"

namespace surtitle {

class DraftTrack {
 public:
  explicit DraftTrack(const Drafting& rule);

  // The step under way: source tokens that its draft sees where the sentence has as many, its
  // index, the token before (end of sentence at the begin).
  int visible() const { return visible_; }
  int target_index() const { return static_cast<int>(draft_.size()); }
  int previous() const;

  // What the step predicted; the end-of-sentence token ends the draft. `whole`: the draft sees the
  // finished source. Returns the tokens that are written now. After the end of a draft that sees
  // the whole source nothing is left to do.
  std::vector<int> take(int token, bool whole);

 private:
  std::vector<int> write_until(std::size_t count);
  std::size_t agreed() const;

  Drafting rule_;
  int visible_;
  std::vector<int> draft_;
  std::deque<std::vector<int>> earlier_;  // the drafts before, newest last
  std::size_t written_ = 0;               // tokens at the begin of every draft from now on
};

}  // namespace surtitle
