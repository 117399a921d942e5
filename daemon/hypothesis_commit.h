// Finds the words of a recogniser's changing hypothesis that can be relied on.
//
// A hypothesis is the whole text since the last final one. Words that two successive hypotheses
// agree on from the beginning are committed, but never a hypothesis' last word, which may still
// grow; a final hypothesis commits everything. A committed word is never taken back: where a later
// hypothesis has another word in its place, that is counted as a revision and otherwise ignored.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class HypothesisCommit {
 public:
  // The words that this hypothesis newly commits. After a final one the next starts afresh.
  std::vector<std::string> update(std::string_view text, bool final);

  // The source is over: the words of the last hypothesis that are not committed yet.
  std::vector<std::string> finish();

  // Committed words that a hypothesis wanted to change, each counted once, so far.
  int revisions() const noexcept { return revisions_; }

 private:
  void count_revisions(const std::vector<std::string_view>& words);

  std::vector<std::string> previous_;   // the hypothesis before
  std::vector<std::string> committed_;  // of the current one
  std::vector<bool> revised_;           // beside committed_
  int revisions_ = 0;
};

}  // namespace surtitle
