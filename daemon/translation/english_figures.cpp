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
constexpr auto kTimeJoints =
    std::to_array<std::string_view>({"to", "and", "or", "till", "until", "through"});

// Whether a word of these letters, without the stop of "p.m.", names a half of the day.
bool is_half_of_day(std::string_view text) {
  return text == "a.m" || text == "am" || text == "p.m" || text == "pm";
}

// Whether a stop after "p.m" is that of the abbreviation, of the sentence, or of both.
bool has_stop_of_half(const Core& word) { return word.after == "." && word.text.ends_with(".m"); }

// Returns the signs after a time that ends with "p.m": without the stop of the abbreviation, unless
// it is that of the sentence, too.
std::string after_half(const Core& word, bool ends) {
  const bool stop = word.text.ends_with(".m") && word.after.starts_with('.');
  return stop && !(ends && word.after == ".") ? word.after.substr(1) : word.after;
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
  return value_in(kParts, word).value_or(0);
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

// Whether "quarter to" may begin a time: not in "from a quarter to one third" and "last quarter
// to".
bool precedes_quarter(const PreviousWords& previous) {
  constexpr auto kBefore =
      std::to_array<std::string_view>({"at", "about", "around", "by", "until", "till", "before",
                                       "after", "since", "it's", "is", "was", "almost", "nearly"});
  return contains(kBefore, previous.last == "a" ? previous.earlier : previous.last);
}

std::string exact_text(const TimeOfDay& time, bool afternoon) {
  const int hour = time.hour % kNoon + (afternoon ? kNoon : 0);
  // Models take 6:15 for the evening, and copy 06:15.
  return (hour < 10 ? "0" : "") + clock_text(hour, time.minute);
}

bool is_half_in_words(std::string_view word) {
  return word == "morning" || word == "afternoon" || word == "evening";
}

constexpr std::size_t kWordsOfHalf = 3;  // "in the evening"

// Whether `rest` begins "in the evening" after `time`, the last word of a time.
bool begins_half(const Core& time, std::span<const Core> rest) {
  constexpr auto kBegin = std::to_array<std::string_view>({"in", "the"});
  const Core* last = &time;
  for (std::size_t i = 0; i < rest.size(); last = &rest[i++]) {
    const bool fits =
        i < kBegin.size() ? rest[i].text == kBegin[i] : is_half_in_words(rest[i].text);
    if (!fits || i >= kWordsOfHalf || !last->after.empty() || !rest[i].before.empty()) {
      return false;
    }
  }
  return true;
}

bool waits_for_half(const Core& time, std::span<const Core> rest) {
  const Core& last = rest.empty() ? time : rest.back();
  return rest.size() < kWordsOfHalf && last.after.empty() && begins_half(time, rest);
}

bool has_half(const Core& time, std::span<const Core> rest) {
  return rest.size() >= kWordsOfHalf && begins_half(time, rest.first(kWordsOfHalf));
}

// Whether the third word, "one" in "half past one hundred", belongs to what follows.
bool counts_next(std::span<const Core> words) {
  constexpr auto kAfterNumber = std::to_array<std::string_view>(
      {"hundred", "thousand", "million", "billion", "percent", "third", "thirds", "half", "years"});
  return follows(words, 3) && contains(kAfterNumber, words[3].text);
}

// Returns the text of a time that leaves its half of the day open, unless "in the evening" follows
// `last`, its last word.
std::string time_text(const TimeOfDay& time, const Core& last, std::span<const Core> rest) {
  return has_half(last, rest) ? exact_text(time, rest[2].text != "morning")
                              : clock_text(time.hour, time.minute);
}

// "half past ten", "quarter to eleven", "half past seven p.m."
std::optional<Figures> find_part_of_hour(std::span<const Core> words, const PreviousWords& previous,
                                         bool ends) {
  const bool past = words.size() > 1 && words[1].text == "past";
  // "twenty five past ten"
  const bool inside = english_number_word(previous.last) > 0;
  if (part_of_hour(words) < 3 || !words[2].before.empty() || inside ||
      !(past || precedes_quarter(previous))) {
    return std::nullopt;
  }
  const int in_words = english_number_word(words[2].text);
  const int hour = in_words > 0 ? in_words : short_number(words[2].text).value_or(0);
  if (hour < 1 || hour > kNoon || counts_next(words)) {
    return std::nullopt;
  }
  const int minutes = part_minutes(words[0].text);
  const bool to = words[1].text == "to";
  const int reached = !to ? hour : hour == 1 ? kNoon : hour - 1;
  const TimeOfDay time{reached, to ? kHour - minutes : minutes, {}};
  // "From half past seven to half past nine in the evening": both are as open as the first, which
  // is decided already.
  auto rest = words.subspan(3);
  const bool second = contains(kTimeJoints, previous.last) &&
                      (english_number_word(previous.earlier) > 0 || read_time(previous.earlier));
  if (second && has_half(words[2], rest) && rest[2].text != "morning") {
    rest = {};
  }
  if (follows(words, 3) && is_half_of_day(words[3].text)) {
    return Figures{4, words[0].before, exact_text(time, words[3].text.front() == 'p'),
                   after_half(words[3], ends && words.size() == 4)};
  }
  return Figures{3, words[0].before, time_text(time, words[2], rest), words[2].after};
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

std::optional<Figures> find_number(std::span<const Core> words, const PreviousWords& previous) {
  const auto number = find_english_number(words, previous);
  if (!number ||
      (number->kind == EnglishNumber::Kind::kCardinal && !is_hard_cardinal(number->value))) {
    return std::nullopt;
  }
  return Figures{number->words, words[0].before, in_digits(*number),
                 words[number->words - 1].after};
}

// "7 p.m." or "7pm"
struct ExactTime {
  TimeOfDay time;
  std::size_t words = 1;
};

std::optional<ExactTime> exact_time(std::span<const Core> words) {
  auto time = read_time(words[0].text);
  std::size_t count = 1;
  if (time && time->half.empty() && words.size() > 1 && words[0].after.empty() &&
      words[1].before.empty()) {
    time->half = words[1].text;
    count = 2;
  }
  return time && is_half_of_day(time->half) ? std::optional(ExactTime{*time, count}) : std::nullopt;
}

// Returns whether the words begin with "7 to", as in "7 to 9 p.m."
bool is_range(std::span<const Core> words) {
  const auto begin = read_time(words[0].text);
  return begin && begin->half.empty() && words.size() > 1 && words[0].after.empty() &&
         words[1].before.empty() && words[1].after.empty() && contains(kTimeJoints, words[1].text);
}

// Returns "19:00 to 21:00". `afternoon`: that of the end.
std::string range_text(const TimeOfDay& begin, const std::string& joint, const TimeOfDay& end,
                       bool afternoon) {
  // "11 to 1 p.m." begins in the morning.
  const auto minutes = [](const TimeOfDay& time) {
    return time.hour % kNoon * kHour + time.minute;
  };
  const bool same = minutes(begin) <= minutes(end);
  return exact_text(begin, same == afternoon) + " " + joint + " " + exact_text(end, afternoon);
}

// "7 p.m.", "7 to 9 p.m."
std::optional<Figures> find_exact_times(std::span<const Core> words, bool ends) {
  const bool range = is_range(words) && words.size() > 2;
  const auto found = exact_time(range ? words.subspan(2) : words);
  if (!found) {
    return std::nullopt;
  }
  const bool afternoon = found->time.half.front() == 'p';
  std::string text =
      range ? range_text(*read_time(words[0].text), words[1].text, found->time, afternoon)
            : exact_text(found->time, afternoon);
  const std::size_t count = found->words + (range ? 2 : 0);
  return Figures{count, words[0].before, std::move(text),
                 after_half(words[count - 1], ends && words.size() == count)};
}

bool may_continue_exact_time(std::span<const Core> words) {
  const auto time = read_time(words[0].text);
  const bool with_half = time && !time->half.empty();
  const bool waits_for_half = time && !with_half && words[0].after.empty();
  const bool with_stop = has_stop_of_half(words.back());
  return words.size() == 1 ? waits_for_half || (with_half && with_stop)
                           : words.size() == 2 && waits_for_half && with_stop &&
                                 words[1].before.empty() && is_half_of_day(words[1].text);
}

// "7:30 in the evening", "from 7 to 9 in the evening". "We had 5 in the morning" is no time.
std::optional<Figures> find_time_with_half_in_words(std::span<const Core> words,
                                                    const PreviousWords& previous) {
  constexpr auto kBeforeTimeOfDay =
      std::to_array<std::string_view>({"at", "by", "to", "until", "till", "from", "since", "before",
                                       "after", "around", "about", "between", "is", "it's", "was"});
  const std::size_t at = is_range(words) && words.size() > 2 ? 2 : 0;
  const auto time = read_time(words[at].text);
  const bool likely = words[at].text.find_first_of(":.") != std::string::npos ||
                      previous.last.empty() || contains(kBeforeTimeOfDay, previous.last);
  if (!time || !time->half.empty() || !likely || !has_half(words[at], words.subspan(at + 1))) {
    return std::nullopt;
  }
  const bool afternoon = words[at + kWordsOfHalf].text != "morning";
  return Figures{at + 1, words[0].before,
                 at == 0 ? exact_text(*time, afternoon)
                         : range_text(*read_time(words[0].text), words[1].text, *time, afternoon),
                 words[at].after};
}

}  // namespace

std::optional<Figures> find_english_figures(std::span<const Core> words,
                                            const PreviousWords& previous, bool to_english,
                                            bool ends) {
  if (to_english) {
    return std::nullopt;
  }
  auto found = find_exact_times(words, ends);
  found = found ? found : find_time_with_half_in_words(words, previous);
  found = found ? found : find_part_of_hour(words, previous, ends);
  return found ? found : find_number(words, previous);
}

bool may_continue_english_figures(std::span<const Core> words) {
  if (const std::size_t part = part_of_hour(words); part > 0) {
    const bool with_stop =
        words.size() == 4 && has_stop_of_half(words[3]) && is_half_of_day(words[3].text);
    return part < 3 || waits_for_half(words[2], words.subspan(3)) || with_stop;
  }
  const std::size_t at = is_range(words) && words.size() > 2 ? 2 : 0;
  const auto time = read_time(words[at].text);
  if (time && time->half.empty() && words[at].before.empty() &&
      waits_for_half(words[at], words.subspan(at + 1))) {
    return true;
  }
  return may_continue_english_number(words) || may_continue_exact_time(words) ||
         (is_range(words) && (words.size() == 2 || may_continue_exact_time(words.subspan(2))));
}

}  // namespace surtitle
