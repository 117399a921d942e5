#include "daemon/hypothesis_commit.h"

#include <algorithm>

#include "model/tokenizer.h"

namespace surtitle {

std::vector<std::string> HypothesisCommit::update(std::string_view text, bool final) {
  const std::vector<std::string_view> words = split_words(text);
  count_revisions(words);
  std::size_t stable = words.size();
  if (!final) {
    const auto agreed =
        std::mismatch(words.begin(), words.end(), previous_.begin(), previous_.end()).first;
    stable = static_cast<std::size_t>(agreed - words.begin());
    stable = std::min(stable, words.empty() ? 0 : words.size() - 1);
  }
  std::vector<std::string> fresh;
  for (std::size_t i = committed_.size(); i < stable; ++i) {
    fresh.emplace_back(words[i]);
  }
  if (final) {
    previous_.clear();
    committed_.clear();
    revised_.clear();
  } else {
    previous_.assign(words.begin(), words.end());
    committed_.insert(committed_.end(), fresh.begin(), fresh.end());
    revised_.resize(committed_.size());
  }
  return fresh;
}

std::vector<std::string> HypothesisCommit::finish() {
  const std::size_t known = std::min(committed_.size(), previous_.size());
  std::vector<std::string> rest(previous_.begin() + static_cast<std::ptrdiff_t>(known),
                                previous_.end());
  previous_.clear();
  committed_.clear();
  revised_.clear();
  return rest;
}

void HypothesisCommit::count_revisions(const std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i < committed_.size(); ++i) {
    if (!revised_[i] && (i >= words.size() || words[i] != committed_[i])) {
      revised_[i] = true;
      ++revisions_;
    }
  }
}

}  // namespace surtitle
