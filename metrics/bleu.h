// Corpus BLEU (Papineni et al. 2002), the same number as sacreBLEU's (Post 2018) with its default
// settings: one reference, case kept, 13a tokenisation, exponential smoothing, no effective order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

struct BleuScore {
  double score = 0;                    // 0 to 100
  std::array<double, 4> precisions{};  // of 1- to 4-grams, 0 to 100, smoothed
  double brevity_penalty = 1;
  std::int64_t hypothesis_length = 0;  // in 13a tokens
  std::int64_t reference_length = 0;
};

// REQUIRES: as many references as hypotheses. A trailing newline of a line does not count.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::string> references);

// sacreBLEU's signature line of these settings, to be printed beside every BLEU. The version is
// that of the sacreBLEU whose numbers the tests hold.
std::string_view bleu_signature() noexcept;

// mteval-v13a's tokens of a line.
std::vector<std::string> tokenize_13a(std::string_view line);

}  // namespace surtitle
