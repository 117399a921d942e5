#include "daemon/translation/hypothesis_commit.h"

#include <algorithm>
#include <utility>

#include "daemon/base/text.h"
#include "daemon/translation/word_diff.h"
#include "model/text/tokenizer.h"

namespace surtitle {
HypothesisCommit::Update HypothesisCommit::update(std::string_view text, bool final) {
  const std::vector<std::string_view> words = split_words(text);
  Update update;
  compare(words, update.revisions);
  count_agreement(words);
  const std::size_t stable = final ? words.size() : stable_words();
  for (; covered_ < stable; ++covered_) {
    update.words.emplace_back(words[covered_]);
  }
  committed_.insert(committed_.end(), update.words.begin(), update.words.end());
  revised_.resize(committed_.size());
  if (final) {
    start_afresh();
  }
  return update;
}

std::vector<std::string> HypothesisCommit::finish() {
  std::vector<std::string> rest(heard_.begin() + static_cast<std::ptrdiff_t>(covered_),
                                heard_.end());
  start_afresh();
  return rest;
}

void HypothesisCommit::compare(const std::vector<std::string_view>& words,
                               std::vector<Revision>& revisions) {
  WordComparison comparison = compare_words(committed_, words);
  covered_ = comparison.covered;
  for (const WordChange& change : comparison.changes) {
    const auto first = revised_.begin() + static_cast<std::ptrdiff_t>(change.first);
    const auto last = first + static_cast<std::ptrdiff_t>(change.count);
    const auto fresh = std::count(first, last, false);
    if (fresh > 0) {
      std::fill(first, last, true);
      revisions_ += static_cast<int>(fresh);
      revisions.push_back(
          {change.first, join_words(committed_, change.first, change.first + change.count),
           join_words(words, change.heard_first, change.heard_first + change.heard_count)});
    }
  }
}

void HypothesisCommit::count_agreement(const std::vector<std::string_view>& words) {
  const auto differ = std::mismatch(words.begin(), words.end(), heard_.begin(), heard_.end()).first;
  agreed_.resize(static_cast<std::size_t>(differ - words.begin()));
  for (int& count : agreed_) {
    count = std::min(count + 1, agreement_);
  }
  agreed_.resize(words.size(), 1);
  heard_.assign(words.begin(), words.end());
}

std::size_t HypothesisCommit::stable_words() const {
  const auto unstable = std::find_if(agreed_.begin(), agreed_.end(),
                                     [this](int count) { return count < agreement_; });
  const auto stable = static_cast<std::size_t>(unstable - agreed_.begin());
  return std::min(stable, heard_.empty() ? 0 : heard_.size() - 1);
}

void HypothesisCommit::start_afresh() {
  heard_.clear();
  agreed_.clear();
  covered_ = 0;
  committed_.clear();
  revised_.clear();
}

}  // namespace surtitle
