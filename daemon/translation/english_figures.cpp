// The figures of English.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "daemon/translation/language_figures.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr auto kNumerals = std::to_array<Numeral>(
    {{"one", 1},      {"two", 2},        {"three", 3},     {"four", 4},      {"five", 5},
     {"six", 6},      {"seven", 7},      {"eight", 8},     {"nine", 9},      {"ten", 10},
     {"eleven", 11},  {"twelve", 12},    {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15},
     {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},
     {"thirty", 30},  {"forty", 40},     {"fifty", 50},    {"sixty", 60},    {"seventy", 70},
     {"eighty", 80},  {"ninety", 90}});
constexpr int kFirstCentury = 16;  // "eleven thirty" is a time
constexpr int kLastCentury = 20;
constexpr int kFirstWithComma = 10000;

// Returns the value of "eight", "eighteen", "eighty" or "eighty-eight".
std::optional<int> small_value(std::string_view text) {
  const auto value = [](std::string_view word) {
    const auto* found = std::find_if(kNumerals.begin(), kNumerals.end(),
                                     [&](const Numeral& one) { return one.word == word; });
    return found == kNumerals.end() ? 0 : found->value;
  };
  const std::size_t hyphen = text.find('-');
  const int first = value(text.substr(0, hyphen));
  if (hyphen == text.npos) {
    return first > 0 ? std::optional(first) : std::nullopt;
  }
  const int second = value(text.substr(hyphen + 1));
  return first >= 20 && second > 0 && second < 10 ? std::optional(first + second) : std::nullopt;
}

// A number or time, and whether a further word may belong to it.
struct Match {
  std::optional<Figures> figures = std::nullopt;
  bool more = false;
};

// Whether the word at `at` follows the one before it without a sign between them.
bool joins(std::span<const Core> words, std::size_t at) {
  return at < words.size() && words[at].before.empty() && words[at - 1].after.empty();
}

// Whether all words are read, and another one may follow them without a sign.
bool open(std::span<const Core> words, std::size_t read) {
  return words.size() == read && words.back().after.empty();
}

Figures figures(std::span<const Core> words, std::size_t count, std::string text) {
  return {count, words[0].before, std::move(text), words[count - 1].after};
}

// Returns 0 for "a.m", 12 for "p.m".
std::optional<int> half_of_day(std::string_view text) {
  return text == "a.m" || text == "am"   ? std::optional(0)
         : text == "p.m" || text == "pm" ? std::optional(kNoon)
                                         : std::nullopt;
}

// "7:30 p.m.", "7pm", "seven thirty p.m."
Match time_of_day(std::span<const Core> words, bool ends) {
  std::string_view first = words[0].text;
  std::optional<int> half;
  for (const std::string_view suffix : {"a.m", "am", "p.m", "pm"}) {
    if (first.ends_with(suffix) && is_digit(first[0])) {
      half = half_of_day(suffix);
      first.remove_suffix(suffix.size());
      break;
    }
  }
  const std::size_t sign = first.find_first_of(":.");
  const auto hour = is_digit(first[0]) ? short_number(first.substr(0, sign)) : small_value(first);
  std::optional<int> minute = sign == first.npos || first.size() != sign + 3
                                  ? std::nullopt
                                  : short_number(first.substr(sign + 1));
  const bool has_minute = sign != first.npos;
  if (!hour || *hour > kNoon || *hour < 1 || has_minute != minute.has_value() ||
      minute.value_or(0) > 59 || first == "one") {
    return {};
  }
  std::size_t read = 1;
  if (!half && !is_digit(first[0]) && joins(words, 1)) {
    minute = small_value(words[1].text);
    minute = minute && *minute >= 5 && *minute <= 59 ? minute : std::nullopt;
    read = minute ? 2 : 1;
  }
  if (!half) {
    half = joins(words, read) ? half_of_day(words[read].text) : std::nullopt;
    if (!half) {
      return {std::nullopt, open(words, read)};
    }
    ++read;
  }
  Figures found = figures(words, read, clock_text(*hour % kNoon + *half, minute.value_or(0)));
  // The stop of the abbreviation, unless it is that of the sentence, too.
  const bool has_stop = found.after.starts_with('.') && words[read - 1].text.ends_with(".m");
  if (has_stop && !(ends && found.after == "." && words.size() == read)) {
    found.after.erase(0, 1);
  }
  return {found, has_stop && words.size() == read};
}

// "half past ten", "quarter to seven", "twenty past eight"
Match part_of_hour(std::span<const Core> words) {
  const std::string& part = words[0].text;
  const auto minutes =
      part == "half"      ? std::optional(30)
      : part == "quarter" ? std::optional(15)
      : part == "five" || part == "ten" || part == "twenty" || part == "twenty-five"
          ? small_value(part)
          : std::nullopt;
  if (!minutes) {
    return {};
  }
  if (!joins(words, 1)) {
    return {std::nullopt, open(words, 1)};
  }
  const bool before = words[1].text == "to" && part == "quarter";  // "ten to twelve" is no time
  if (words[1].text != "past" && !before) {
    return {};
  }
  const auto hour = joins(words, 2) ? is_digit(words[2].text.front()) ? short_number(words[2].text)
                                                                      : small_value(words[2].text)
                                    : std::nullopt;
  if (!hour || *hour < 1 || *hour > kNoon) {
    return {std::nullopt, open(words, 2)};
  }
  const int last = *hour == 1 ? kNoon : *hour - 1;
  return {
      figures(words, 3, before ? clock_text(last, 60 - *minutes) : clock_text(*hour, *minutes))};
}

// "nineteen eighty-nine"
Match year(std::span<const Core> words) {
  const auto century = small_value(words[0].text);
  if (!century || *century < kFirstCentury || *century > kLastCentury) {
    return {};
  }
  const auto rest = joins(words, 1) ? small_value(words[1].text) : std::nullopt;
  if (!rest || *rest < 10) {
    return {std::nullopt, open(words, 1)};
  }
  return {figures(words, 2, std::to_string(*century * 100 + *rest))};
}

// "twelve thousand five hundred", "two thousand and one"
Match thousands(std::span<const Core> words) {
  const auto many = small_value(words[0].text);
  if (!many || *many < 2) {
    return {};
  }
  if (!joins(words, 1)) {
    return {std::nullopt, open(words, 1)};
  }
  if (words[1].text != "thousand") {
    return {};
  }
  int value = *many * 1000;
  std::size_t read = 2;
  bool more = open(words, read);
  if (joins(words, read + 1) && words[read + 1].text == "hundred") {
    const auto hundreds = small_value(words[read].text);
    if (joins(words, read) && hundreds && *hundreds < 10) {
      value += *hundreds * 100;
      read += 2;
      more = open(words, read);
    }
  }
  const bool with_and = joins(words, read) && words[read].text == "and";
  const std::size_t last = read + (with_and ? 1 : 0);
  more = more || open(words, last);
  if (const auto few = joins(words, last) ? small_value(words[last].text) : std::nullopt) {
    value += *few;
    read = last + 1;
    more = read == words.size() && value % 1000 < 10 && open(words, read);  // "five hundred"
  }
  if (value % 1000 == 0) {
    return {std::nullopt, more};
  }
  std::string digits = std::to_string(value);
  if (value >= kFirstWithComma) {
    digits.insert(digits.size() - 3, ",");
  }
  return {figures(words, read, digits), more};
}

}  // namespace

std::optional<Figures> find_english_figures(std::span<const Core> words, bool to_english,
                                            bool ends) {
  for (const Match& match : {thousands(words), year(words)}) {
    if (match.figures) {
      return match.figures;
    }
  }
  const Match time = time_of_day(words, ends);
  return to_english ? std::nullopt : time.figures ? time.figures : part_of_hour(words).figures;
}

bool may_continue_english_figures(std::span<const Core> words) {
  return thousands(words).more || year(words).more || part_of_hour(words).more ||
         time_of_day(words, /*ends=*/false).more;
}

}  // namespace surtitle
