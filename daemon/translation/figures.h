// Numbers and clock times of a source in figures, as models translate them best.
//
// Models of some ten million parameters copy "1923", "7:30 p.m." and "19:30" reliably. But they
// translate "neunzehnhundertdreiundzwanzig", "halb acht" and "19:30 Uhr" wrongly too often, and an
// audience cannot notice a wrong time.
//
// German:
//
// - A number from 101 on in one word: "1923" for "neunzehnhundertdreiundzwanzig", "12.500" for
//   "zwölftausendfünfhundert". Models translate whole hundreds up to 900 and whole thousands well.
//   A recogniser may split it: "neunzehnhundert fünfundachtzig".
// - An ordinal from 13 to 999: "23." for "dreiundzwanzigsten".
// - A clock time. For an English target as English has it, "7:30 p.m." for "19:30 Uhr" and for
//   "neunzehn Uhr dreißig"; otherwise "19:30 Uhr". "10:30" or "10:30 Uhr" for "halb elf": German
//   leaves the half of the day open. So do "9 Uhr" and "12 Uhr nachts", which stay as they are.
//   Without "Uhr", 19:30 may be a score. A small number after "Uhr" may be minutes, or count what
//   follows: "dreizehn Uhr acht" stays, too.
// - Two times with one "Uhr": "2:00 p.m. bis 4:00 p.m." for "14 bis 16 Uhr".
//
// English, unless the target is English:
//
// - A clock time with its half of the day: "19:30" for "7:30 p.m.", "07:00" for "7 am", "19:00 to
//   21:00" for "7 to 9 p.m.", "19:30 in the evening" for "half past seven in the evening". A count
//   is none: "we had 5 in the morning".
// - "10:30" for "half past ten", "10:45" for "quarter to eleven", "4:10" for "ten past four": which
//   half of the day is as open as before.
// - A year: "1994" for "nineteen ninety-four", "1905" for "nineteen oh five", "1980s" for "nineteen
//   eighties". Two round numbers, "nineteen thirty", only after a word such as "in".
// - A number from 101 on, as in German: "365" for "three hundred and sixty-five", "12,500".
// - An ordinal from 21 on that is not round: "23rd" for "twenty-third".
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace surtitle {

// The first words of a text, in figures.
struct Figures {
  std::size_t words = 0;
  std::string before;  // what precedes the number in the first word: "("
  std::string text;
  std::string after;  // what follows it in the last word: ","
};

enum class FigureLanguage { kNone, kGerman, kEnglish };

// Returns that of a language tag, such as "de-AT".
FigureLanguage figure_language(std::string_view language);

constexpr std::ptrdiff_t kPreviousWords = 2;

// Returns the figures that stand for the first words, the longest ones. `previous`: the words
// before them, of which the last kPreviousWords matter. `to_english`: the target is English.
// `ends`: the words end the sentence. REQUIRES: valid UTF-8, at least one word.
std::optional<Figures> find_figures(FigureLanguage language, std::span<const std::string> words,
                                    std::span<const std::string> previous, bool to_english,
                                    bool ends);

// Returns whether a further word may make a longer number or time of these.
bool may_continue_figures(FigureLanguage language, std::span<const std::string> words);

}  // namespace surtitle
