// Corpus chrF2 (Popovic 2016), the same number as sacreBLEU's with its default settings: one
// reference, character 1- to 6-grams, no words, beta 2, case kept, white space removed; orders that
// either side is too short for are left out of the means.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace surtitle {

// 0 to 100. REQUIRES: as many references as hypotheses.
double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::string> references);

// sacreBLEU's signature line of these settings.
std::string_view chrf_signature() noexcept;

}  // namespace surtitle
