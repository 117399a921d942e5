#include "daemon/translation/hypothesis_commit.h"

#include <algorithm>
#include <utility>

#include "daemon/base/sliding_words.h"
#include "daemon/base/text.h"
#include "daemon/translation/word_diff.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::size_t kKept = 2000;  // words before the window, in case that it moves back

}  // namespace

HypothesisCommit::Update HypothesisCommit::update(std::string_view text, bool final) {
  Words words = whole_text(text);
  Update update;
  compare(words, final, update.revisions);
  count_agreement(std::move(words));
  const std::size_t stable = final ? text_.size() : std::max(stable_words(), left_out_);
  const std::vector<std::string> window = split_words_with_spaces(text);
  for (; covered_ < stable; ++covered_) {
    update.words.push_back(text_[covered_]);
    update.read.push_back(covered_ < left_out_ ? text_[covered_] : window[covered_ - left_out_]);
  }
  committed_.insert(committed_.end(), update.words.begin(), update.words.end());
  revised_.resize(committed_.size());
  if (final) {
    reset();
  } else {
    trim();
  }
  return update;
}

std::vector<std::string> HypothesisCommit::finish() {
  std::vector<std::string> rest(text_.begin() + static_cast<std::ptrdiff_t>(covered_), text_.end());
  reset();
  return rest;
}

// Returns the whole text since the last final hypothesis, as far as it is not trimmed.
HypothesisCommit::Words HypothesisCommit::whole_text(std::string_view hypothesis) {
  const std::vector<std::string_view> window = split_words(hypothesis);
  Words text = committed_;
  text.insert(text.end(), text_.begin() + static_cast<std::ptrdiff_t>(covered_), text_.end());
  left_out_ = words_left_out(text, window, left_out_);
  text.resize(left_out_);
  text.insert(text.end(), window.begin(), window.end());
  return text;
}

void HypothesisCommit::compare(const Words& words, bool final, std::vector<Revision>& revisions) {
  WordComparison comparison = compare_words(committed_, {words.begin(), words.end()});
  covered_ = comparison.covered;
  for (const WordChange& change : comparison.changes) {
    const bool shorter = change.hypothesis_count == 0 && change.hypothesis_first == words.size();
    const auto first = revised_.begin() + static_cast<std::ptrdiff_t>(change.first);
    const auto last = first + static_cast<std::ptrdiff_t>(change.count);
    const auto fresh = std::count(first, last, false);
    if (fresh > 0 && (final || !shorter)) {
      std::fill(first, last, true);
      revisions_ += static_cast<int>(fresh);
      revisions.push_back({trimmed_ + change.first,
                           join_words(committed_, change.first, change.first + change.count),
                           join_words(words, change.hypothesis_first,
                                      change.hypothesis_first + change.hypothesis_count)});
    }
  }
}

void HypothesisCommit::count_agreement(Words words) {
  const auto differ = std::mismatch(words.begin(), words.end(), text_.begin(), text_.end()).first;
  agreed_.resize(static_cast<std::size_t>(differ - words.begin()));
  for (int& count : agreed_) {
    count = std::min(count + 1, agreement_);
  }
  agreed_.resize(words.size(), 1);
  text_ = std::move(words);
}

std::size_t HypothesisCommit::stable_words() const {
  const auto unstable = std::find_if(agreed_.begin(), agreed_.end(),
                                     [this](int count) { return count < agreement_; });
  const auto stable = static_cast<std::size_t>(unstable - agreed_.begin());
  return std::min(stable, text_.empty() ? 0 : text_.size() - 1);
}

// Drops words that the window left long ago. They are the same in text_ and committed_.
void HypothesisCommit::trim() {
  const std::size_t count = left_out_ > 2 * kKept ? left_out_ - kKept : 0;
  const auto drop = [count](auto& list) {
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
  };
  drop(text_);
  drop(agreed_);
  drop(committed_);
  drop(revised_);
  left_out_ -= count;
  covered_ -= count;
  trimmed_ += count;
}

void HypothesisCommit::reset() {
  text_.clear();
  agreed_.clear();
  left_out_ = 0;
  covered_ = 0;
  committed_.clear();
  revised_.clear();
  trimmed_ = 0;
}

}  // namespace surtitle
