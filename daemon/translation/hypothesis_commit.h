// Commits the stable words of a recogniser's changing hypothesis.
//
// A hypothesis is the text since the last final hypothesis. If it is only the last part of that
// text (a window), the words before the window are committed as they were. The words at the
// beginning of the text that n successive hypotheses agree on are committed, except for its last
// word, which may still grow. A final hypothesis commits all of its words.
//
// Committed words do not change. If a later hypothesis has other words in their place, that is
// reported as a revision, once for each word. The words after the changed ones are committed as
// usual. A hypothesis that is only shorter is no revision unless it is final.
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
    std::size_t first = 0;  // index of the committed word since the last final hypothesis
    std::string committed;  // the committed words
    std::string heard;      // the hypothesis' words in their place; may be empty

    bool operator==(const Revision&) const = default;
  };
  struct Update {
    std::vector<std::string> words;  // newly committed
    std::vector<std::string> read;   // the same by split_words_with_spaces()
    std::vector<Revision> revisions;
  };

  // `agreement`: hypotheses in a row that must agree, 1 or more. 1 commits every word but the last
  // at once.
  explicit HypothesisCommit(int agreement) : agreement_(agreement) {}

  // Handles the next hypothesis. The one after a final hypothesis begins a new text.
  Update update(std::string_view text, bool final);

  // Ends the source. Returns the words of the last hypothesis that are not committed yet.
  std::vector<std::string> finish();

  // Returns the number of committed words that later hypotheses changed, each counted once.
  int revisions() const noexcept { return revisions_; }

 private:
  using Words = std::vector<std::string>;

  Words whole_text(std::string_view hypothesis);
  void compare(const Words& words, bool final, std::vector<Revision>& revisions);
  void count_agreement(Words words);
  std::size_t stable_words() const;
  void trim();
  void reset();

  const int agreement_;
  // The text since the last final hypothesis. Words that the window left long ago are trimmed.
  Words text_;                 // the text by the last hypothesis
  std::vector<int> agreed_;    // for each of text_: hypotheses in a row that agree up to it
  std::size_t left_out_ = 0;   // words of text_ before the window of the last hypothesis
  std::size_t covered_ = 0;    // words of text_ that correspond to committed_
  Words committed_;            // the committed words
  std::vector<bool> revised_;  // for each of committed_: reported as revised
  std::size_t trimmed_ = 0;    // words before these
  int revisions_ = 0;
};

}  // namespace surtitle
