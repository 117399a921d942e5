// The figures of English.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "daemon/translation/english_numbers.h"
#include "daemon/translation/language_figures.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr int kHour = 60;  // minutes

// Whether a word of these letters, without the stop of "p.m.", names a half of the day.
bool is_half_of_day(std::string_view text) {
  return text == "a.m" || text == "am" || text == "p.m" || text == "pm";
}

// A time in figures. Empty without one.
struct TimeOfDay {
  int hour = 0;  // of 12
  int minute = 0;
  std::string_view half;  // "p.m" in the same word, or ""
};

std::optional<TimeOfDay> read_time(std::string_view text) {
  const std::size_t letters = text.find_first_of("ap");
  const std::string_view half = letters == text.npos ? "" : text.substr(letters);
  const std::string_view digits = text.substr(0, letters);
  const std::size_t sign = digits.find_first_of(":.");
  const auto hour = short_number(digits.substr(0, sign));
  const std::string_view minutes = sign == digits.npos ? "00" : digits.substr(sign + 1);
  const int minute = minutes.size() == 2 ? short_number(minutes).value_or(kHour) : kHour;
  const bool valid = hour && *hour >= 1 && *hour <= kNoon && minute < kHour &&
                     (half.empty() || is_half_of_day(half));
  return valid ? std::optional(TimeOfDay{*hour, minute, half}) : std::nullopt;
}

// Returns the minutes of "half past ten" and "ten past four". 0: the word names none.
int part_minutes(std::string_view word) {
  constexpr auto kParts = std::to_array<Numeral>({{"half", 30},
                                                  {"quarter", 15},
                                                  {"five", 5},
                                                  {"ten", 10},
                                                  {"twenty", 20},
                                                  {"twenty-five", 25}});
  const auto* const part = std::find_if(kParts.begin(), kParts.end(),
                                        [&](const Numeral& one) { return one.word == word; });
  return part == kParts.end() ? 0 : part->value;
}

// Returns how many of "half past ten" the words begin with. The third may be any word.
std::size_t part_of_hour(std::span<const Core> words) {
  if (part_minutes(words[0].text) == 0 || !words[0].after.empty()) {
    return 0;
  }
  if (words.size() == 1) {
    return 1;
  }
  const std::string& sign = words[1].text;
  const bool joined =
      sign == "past" || (words[0].text == "quarter" && (sign == "to" || sign == "after"));
  if (!joined || !words[1].before.empty() || !words[1].after.empty()) {
    return 0;
  }
  return words.size() == 2 ? 2 : 3;
}

// "half past ten", "quarter to eleven"
std::optional<Figures> find_part_of_hour(std::span<const Core> words) {
  if (part_of_hour(words) < 3 || !words[2].before.empty()) {
    return std::nullopt;
  }
  const int in_words = english_number_word(words[2].text);
  const int hour = in_words > 0 ? in_words : short_number(words[2].text).value_or(0);
  if (hour < 1 || hour > kNoon) {
    return std::nullopt;
  }
  const int minutes = part_minutes(words[0].text);
  const bool to = words[1].text == "to";
  const int reached = !to ? hour : hour == 1 ? kNoon : hour - 1;
  return Figures{3, words[0].before, clock_text(reached, to ? kHour - minutes : minutes),
                 words[2].after};
}

std::string in_digits(const EnglishNumber& number) {
  std::string text = std::to_string(number.value);
  switch (number.kind) {
    case EnglishNumber::Kind::kYear:
      return text;
    case EnglishNumber::Kind::kDecade:
      return text + "s";
    case EnglishNumber::Kind::kOrdinal: {
      constexpr auto kEndings = std::to_array<std::string_view>({"th", "st", "nd", "rd"});
      const auto unit = static_cast<std::size_t>(number.value % 10);
      return text.append(kEndings[unit < kEndings.size() ? unit : 0]);
    }
    case EnglishNumber::Kind::kCardinal:
      break;
  }
  constexpr std::size_t kThousands = 3;
  if (text.size() > kThousands + 1) {
    text.insert(text.size() - kThousands, ",");
  }
  return text;
}

std::optional<Figures> find_number(std::span<const Core> words, std::string_view previous) {
  const auto number = find_english_number(words, previous);
  if (!number ||
      (number->kind == EnglishNumber::Kind::kCardinal && !is_hard_cardinal(number->value))) {
    return std::nullopt;
  }
  return Figures{number->words, words[0].before, in_digits(*number),
                 words[number->words - 1].after};
}

}  // namespace

std::optional<Figures> find_english_figures(std::span<const Core> words, std::string_view previous,
                                            bool to_english, bool ends) {
  if (to_english) {
    return std::nullopt;
  }
  const auto time = read_time(words[0].text);
  if (!time) {
    const auto part = find_part_of_hour(words);
    return part ? part : find_number(words, previous);
  }
  std::size_t count = 1;
  std::string_view half = time->half;
  if (half.empty() && words.size() > 1 && words[0].after.empty() && words[1].before.empty()) {
    half = words[1].text;
    count = 2;
  }
  if (!is_half_of_day(half)) {
    return std::nullopt;
  }
  const int hour = time->hour % kNoon + (half.front() == 'p' ? kNoon : 0);
  // Models take 6:15 for the evening, and copy 06:15.
  Figures found{count, words[0].before, (hour < 10 ? "0" : "") + clock_text(hour, time->minute),
                words[count - 1].after};
  // The stop of the abbreviation, unless it is that of the sentence, too.
  if (half.ends_with(".m") && found.after.starts_with('.') &&
      !(ends && found.after == "." && words.size() == count)) {
    found.after.erase(0, 1);
  }
  return found;
}

bool may_continue_english_figures(std::span<const Core> words) {
  if (const std::size_t part = part_of_hour(words); part > 0) {
    return part < 3;
  }
  if (may_continue_english_number(words)) {
    return true;
  }
  const auto time = read_time(words[0].text);
  const bool with_half = time && !time->half.empty();
  const bool waits_for_half = time && !with_half && words[0].after.empty();
  // A stop after "p.m." may end the sentence.
  const bool with_stop = words.back().after == "." && words.back().text.ends_with(".m");
  return words.size() == 1 ? waits_for_half || (with_half && with_stop)
                           : words.size() == 2 && waits_for_half && with_stop &&
                                 words[1].before.empty() && is_half_of_day(words[1].text);
}

}  // namespace surtitle
