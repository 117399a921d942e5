#include "metrics/chrf.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>

#include "metrics/text.h"

namespace surtitle {
namespace {

constexpr std::size_t kOrders = 6;
constexpr double kBeta = 2;

// Counts of the n-grams of one order over the corpus.
struct OrderCounts {
  std::int64_t hypothesis = 0;
  std::int64_t reference = 0;
  std::int64_t matched = 0;
};

std::u32string without_white_space(std::string_view text) {
  std::u32string characters = decode_utf8(text);
  characters.erase(std::remove_if(characters.begin(), characters.end(), is_python_space),
                   characters.end());
  return characters;
}

std::unordered_map<std::u32string_view, std::int64_t> count_ngrams(std::u32string_view text,
                                                                   std::size_t order) {
  std::unordered_map<std::u32string_view, std::int64_t> counts;
  for (std::size_t first = 0; first + order <= text.size(); ++first) {
    ++counts[text.substr(first, order)];
  }
  return counts;
}

void add(OrderCounts& counts, std::u32string_view hypothesis, std::u32string_view reference,
         std::size_t order) {
  const auto theirs = count_ngrams(reference, order);
  if (theirs.empty()) {
    return;  // sacreBLEU counts no matches and no errors here
  }
  counts.reference += static_cast<std::int64_t>(reference.size() - order + 1);
  for (const auto& [ngram, count] : count_ngrams(hypothesis, order)) {
    counts.hypothesis += count;
    const auto found = theirs.find(ngram);
    if (found != theirs.end()) {
      counts.matched += std::min(count, found->second);
    }
  }
}

}  // namespace

double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::string> references) {
  if (hypotheses.size() != references.size()) {
    throw std::invalid_argument(
        "chrF needs one reference for each hypothesis: " + std::to_string(hypotheses.size()) +
        " hypotheses, " + std::to_string(references.size()) + " references");
  }
  std::array<OrderCounts, kOrders> counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::u32string hypothesis = without_white_space(hypotheses[i]);
    const std::u32string reference = without_white_space(references[i]);
    for (std::size_t order = 1; order <= kOrders; ++order) {
      add(counts[order - 1], hypothesis, reference, order);
    }
  }
  double precision = 0;
  double recall = 0;
  double orders = 0;
  for (const OrderCounts& order : counts) {
    if (order.hypothesis > 0 && order.reference > 0) {
      precision += static_cast<double>(order.matched) / static_cast<double>(order.hypothesis);
      recall += static_cast<double>(order.matched) / static_cast<double>(order.reference);
      ++orders;
    }
  }
  if (precision + recall == 0) {
    return 0;
  }
  precision /= orders;
  recall /= orders;
  constexpr double kFactor = kBeta * kBeta;
  return 100 * (1 + kFactor) * precision * recall / (kFactor * precision + recall);
}

std::string_view chrf_signature() noexcept {
  return "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0";
}

}  // namespace surtitle
