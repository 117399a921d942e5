// Finds the words of a recogniser's changing hypothesis that can be relied on.
//
// A hypothesis is the whole text since the last final one. Words that n successive hypotheses agree
// on from the beginning are committed, but never a hypothesis' last word, which may still grow; a
// final hypothesis commits everything. A committed word is never taken back: where a later
// hypothesis has other words in its place, that is reported as a revision, once for each word, and
// otherwise ignored; what follows the changed words is committed all the same.
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
  struct Revision {
    std::size_t first = 0;  // committed word, counted from the last final hypothesis
    std::string committed;  // the words that stand
    std::string heard;      // what the hypothesis has in their place; may be empty

    bool operator==(const Revision&) const = default;
  };
  struct Update {
    std::vector<std::string> words;  // newly committed
    std::vector<Revision> revisions;
  };

  // `agreement`: hypotheses in a row that must agree, 1 or more; 1 commits every word but the last
  // at once.
  explicit HypothesisCommit(int agreement) : agreement_(agreement) {}

  // After a final one the next starts afresh.
  Update update(std::string_view text, bool final);

  // The source is over: the words of the last hypothesis that are not committed yet.
  std::vector<std::string> finish();

  // Committed words that hypotheses wanted to change, each counted once, so far.
  int revisions() const noexcept { return revisions_; }

 private:
  void compare(const std::vector<std::string_view>& words, std::vector<Revision>& revisions);
  void count_agreement(const std::vector<std::string_view>& words);
  std::size_t stable_words() const;
  void start_afresh();

  const int agreement_;
  std::vector<std::string> heard_;  // the last hypothesis
  std::vector<int> agreed_;         // beside heard_: hypotheses in a row with the words up to here
  std::size_t covered_ = 0;         // words of heard_ that the committed ones stand for
  std::vector<std::string> committed_;  // since the last final hypothesis
  std::vector<bool> revised_;           // beside committed_
  int revisions_ = 0;
};

}  // namespace surtitle
