// The figures of English.
#include <string>
#include <string_view>

#include "daemon/translation/language_figures.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

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
  constexpr int kInvalid = 60;
  const int minute = minutes.size() == 2 ? short_number(minutes).value_or(kInvalid) : kInvalid;
  const bool valid = hour && *hour >= 1 && *hour <= kNoon && minute < kInvalid &&
                     (half.empty() || is_half_of_day(half));
  return valid ? std::optional(TimeOfDay{*hour, minute, half}) : std::nullopt;
}

}  // namespace

std::optional<Figures> find_english_figures(std::span<const Core> words, bool to_english,
                                            bool ends) {
  const auto time = read_time(words[0].text);
  if (!time || to_english) {
    return std::nullopt;
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
