// Numbers and clock times of German in figures, as models translate them best.
//
// Models of some ten million parameters copy "1923" and "7:30 p.m." reliably. But they translate
// "neunzehnhundertdreiundzwanzig", "halb acht" and "19:30 Uhr" wrongly too often, and an audience
// cannot notice a wrong time.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace surtitle {

// The first words of a text, in figures.
struct Figures {
  std::size_t words = 0;
  std::string before;  // what precedes the number in the first word: "("
  std::string text;
  std::string after;  // what follows it in the last word: ","
};

// Returns the figures that stand for the first words, the longest ones:
//
// - A number from 1,000 on in one word: "1923" for "neunzehnhundertdreiundzwanzig", "12.500" for
//   "zwölftausendfünfhundert". Models translate smaller ones in words well.
// - An ordinal from 13 on: "23." for "dreiundzwanzigsten".
// - A clock time. `english`: as English has it, "7:30 p.m." for "19:30 Uhr" and for "neunzehn Uhr
//   dreißig"; otherwise "19:30 Uhr". "10:30" or "10:30 Uhr" for "halb elf": German leaves the half
//   of the day open. So does "9 Uhr", which stays as it is.
// - Two times with one "Uhr": "2 p.m. bis 4 p.m." for "14 bis 16 Uhr".
//
// REQUIRES: valid UTF-8, at least one word.
std::optional<Figures> find_german_figures(std::span<const std::string> words, bool english);

// Returns whether further words may make a longer clock time of these.
bool may_continue_german_figures(std::span<const std::string> words);

}  // namespace surtitle
