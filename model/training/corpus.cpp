#include "model/training/corpus.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>
#include <stdexcept>

#include "model/util/utf8.h"

namespace surtitle {
namespace {

// std::shuffle's use of the generator is not specified; training must not depend on the library.
template <typename Container>
void shuffle(Container& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    throw std::runtime_error(file.string() + ": cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!is_valid_utf8(line))
      throw std::runtime_error(file.string() + ":" + std::to_string(lines.size() + 1) +
                               ": not UTF-8");
    lines.push_back(std::move(line));
  }
  return lines;
}

struct Lines {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
};

Lines read_parallel(const ParallelText& text) {
  Lines lines{read_lines(text.source), read_lines(text.target)};
  if (lines.sources.size() != lines.targets.size())
    throw std::runtime_error(text.source.string() + " has " + std::to_string(lines.sources.size()) +
                             " lines, " + text.target.string() + " has " +
                             std::to_string(lines.targets.size()) + "; they must be equal");
  return lines;
}

}  // namespace

void check_texts(std::span<const ParallelText> texts) {
  for (const auto& text : texts) read_parallel(text);
}

std::vector<TokenPair> load_corpus(std::span<const ParallelText> texts, const Tokenizer& tokenizer,
                                   int max_tokens) {
  std::vector<TokenPair> corpus;
  const auto limit = static_cast<std::size_t>(max_tokens);
  for (const auto& text : texts) {
    const auto [sources, targets] = read_parallel(text);
    const auto first = corpus.size();
    for (const TextForm form : text.source_forms) {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::string source = form == TextForm::kSpoken ? spoken_text(sources[i]) : sources[i];
        TokenPair pair{tokenize(tokenizer, source).tokens, tokenize(tokenizer, targets[i]).tokens};
        if (pair.source.empty() || pair.target.empty()) continue;
        pair.source.push_back(kEndOfSentence);
        if (pair.source.size() > limit || pair.target.size() + 1 > limit) continue;
        corpus.push_back(std::move(pair));
      }
    }
    const auto last = corpus.size();
    for (int copy = 1; copy < text.repeat; ++copy)
      for (auto i = first; i < last; ++i) corpus.push_back(TokenPair(corpus[i]));
  }
  return corpus;
}

std::vector<BatchIndex> make_batches(std::span<const TokenPair> corpus, int batch_tokens,
                                     std::uint64_t seed, std::uint64_t epoch) {
  std::mt19937_64 random(seed * 1'000'003 + epoch);
  std::vector<std::uint32_t> order(corpus.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, random);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t i) {
      return std::pair(corpus[i].target.size(), corpus[i].source.size());
    };
    return key(a) < key(b);
  });
  std::vector<BatchIndex> batches;
  std::size_t longest = 0;
  for (const auto index : order) {
    const auto& pair = corpus[index];
    const auto length = std::max({longest, pair.source.size(), pair.target.size() + 1});
    const bool full = batches.empty() ||
                      length * (batches.back().size() + 1) > static_cast<std::size_t>(batch_tokens);
    if (full) batches.emplace_back();
    longest = full ? std::max(pair.source.size(), pair.target.size() + 1) : length;
    batches.back().push_back(index);
  }
  shuffle(batches, random);
  return batches;
}

}  // namespace surtitle
