// Corpus BLEU (Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine
// Translation"), equal to sacreBLEU's (Post 2018) by default.
//
// Settings: one reference, case kept, 13a tokenisation, exponential smoothing, no effective order.
// Thread-safety: all functions may be called from any thread.
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

// REQUIRES: hypotheses.size() == references.size(); otherwise throws std::invalid_argument. A
// trailing newline of a line does not count.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::string> references);

// Returns the scores of test sets of the same size, each drawn from the sentences with replacement
// (Koehn 2004, "Statistical Significance Tests for Machine Translation Evaluation"). The draws
// depend only on the number of sentences: the i-th scores of two systems are of the same sentences,
// and their differences are a paired bootstrap. Throws as corpus_bleu() does.
std::vector<double> resampled_bleu(std::span<const std::string> hypotheses,
                                   std::span<const std::string> references, int resamples);

// The range that holds the middle 95 % of the scores. REQUIRES: not empty.
struct Interval {
  double low = 0;
  double high = 0;
};
Interval middle_95_percent(std::vector<double> scores);

// sacreBLEU's signature line of these settings, to be printed beside every BLEU. Its version is
// that of the sacreBLEU that computed the numbers in the tests.
std::string_view bleu_signature() noexcept;

// Returns mteval-v13a's tokens of a line.
std::vector<std::string> tokenize_13a(std::string_view line);

}  // namespace surtitle
