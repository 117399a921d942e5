// Corpus chrF2 (Popovic 2016, "chrF deconstructed: beta parameters and n-gram weights"), equal to
// sacreBLEU's by default.
//
// Settings: one reference, character 1- to 6-grams, no words, beta 2, case kept, white space
// removed. An order for which either side is too short is left out of the means. Thread-safety: all
// functions may be called from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace surtitle {

// Returns a score from 0 to 100. REQUIRES: hypotheses.size() == references.size(); otherwise throws
// std::invalid_argument.
double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::string> references);

// sacreBLEU's signature line of these settings.
std::string_view chrf_signature() noexcept;

}  // namespace surtitle
