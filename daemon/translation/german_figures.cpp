// The figures of German.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/translation/language_figures.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

constexpr auto kUnits = std::to_array<Numeral>({{"ein", 1},
                                                {"zwei", 2},
                                                {"zwo", 2},
                                                {"drei", 3},
                                                {"vier", 4},
                                                {"fünf", 5},
                                                {"sechs", 6},
                                                {"sieben", 7},
                                                {"acht", 8},
                                                {"neun", 9}});
constexpr auto kTeens = std::to_array<Numeral>({{"zehn", 10},
                                                {"elf", 11},
                                                {"zwölf", 12},
                                                {"dreizehn", 13},
                                                {"vierzehn", 14},
                                                {"fünfzehn", 15},
                                                {"sechzehn", 16},
                                                {"siebzehn", 17},
                                                {"achtzehn", 18},
                                                {"neunzehn", 19}});
constexpr auto kTens = std::to_array<Numeral>({{"zwanzig", 20},
                                               {"dreißig", 30},
                                               {"dreissig", 30},
                                               {"vierzig", 40},
                                               {"fünfzig", 50},
                                               {"sechzig", 60},
                                               {"siebzig", 70},
                                               {"achtzig", 80},
                                               {"neunzig", 90}});
constexpr int kFirstOrdinalInFigures = 13;
constexpr int kFirstWithPoint = 10000;  // 9999, 10.000
constexpr int kHours = 24;
constexpr int kMinutes = 60;
constexpr std::string_view kZero = "null";
// Words that a number counts, so that it is no minute: "um 15 Uhr 20 Minuten Pause".
constexpr auto kCounted = std::to_array<std::string_view>(
    {"sekunden", "minuten",  "stunden",   "tage",       "wochen",
     "monate",   "jahre",    "euro",      "cent",       "prozent",
     "grad",     "meter",    "kilometer", "leute",      "menschen",
     "personen", "kinder",   "gäste",     "teilnehmer", "teilnehmerinnen",
     "punkte",   "januar",   "februar",   "märz",       "april",
     "mai",      "juni",     "juli",      "august",     "september",
     "oktober",  "november", "dezember"});
// Words around "12 Uhr" after which it may be midnight.
constexpr auto kNightBefore = std::to_array<std::string_view>({"nacht", "nachts", "mitternacht"});
constexpr auto kNightAfter = std::to_array<std::string_view>({"nachts", "mitternacht", "in"});
// Words before "viertel acht": not in "im letzten Viertel drei Tore".
constexpr auto kBeforeQuarter =
    std::to_array<std::string_view>({"um", "gegen", "ab", "bis", "seit", "vor", "nach", "ist",
                                     "war", "es", "kurz", "erst", "schon", "von", "auf"});

std::optional<int> below_hundred(std::string_view word) {
  if (word == "eins") {
    return 1;
  }
  for (const auto& value :
       {value_in(kUnits, word), value_in(kTeens, word), value_in(kTens, word)}) {
    if (value) {
      return value;
    }
  }
  const std::size_t joint = word.find("und");
  if (joint == word.npos) {
    return std::nullopt;
  }
  const auto unit = value_in(kUnits, word.substr(0, joint));
  const auto ten = value_in(kTens, word.substr(joint + 3));
  return unit && ten ? std::optional(*ten + *unit) : std::nullopt;
}

// Returns the value of a number with `name`, such as "hundert", between its two parts. A part that
// is missing is 1 before it and 0 after it.
template <class Before, class After>
std::optional<int> with_multiple(std::string_view word, std::string_view name, int multiple,
                                 const Before& before, const After& after) {
  const std::size_t at = word.find(name);
  if (at == word.npos) {
    return after(word);
  }
  std::string_view rest = word.substr(at + name.size());
  rest.remove_prefix(rest.starts_with("und") ? 3 : 0);
  const std::optional<int> many = at == 0 ? 1 : before(word.substr(0, at));
  const std::optional<int> few = rest.empty() ? 0 : after(rest);
  return many && few ? std::optional(*many * multiple + *few) : std::nullopt;
}

std::optional<int> below_thousand(std::string_view word) {
  return with_multiple(word, "hundert", kHundred, below_hundred, below_hundred);
}

// Returns the value of a number in one word in lower case: up to 999,999.
std::optional<int> value_of(std::string_view word) {
  return with_multiple(word, "tausend", 1000, below_thousand, below_thousand);
}

// Returns the value of "dreiundzwanzigste" and its inflected forms.
std::optional<int> ordinal_of(std::string_view word) {
  const std::size_t end = word.rfind("te");
  if (end == word.npos || end + 3 < word.size() ||
      (end + 3 == word.size() && std::string_view("nrsm").find(word.back()) == word.npos)) {
    return std::nullopt;
  }
  const bool long_ending = end > 0 && word[end - 1] == 's';
  const auto value = value_of(word.substr(0, end - (long_ending ? 1 : 0)));
  return value && (*value % kHundred >= 20 || *value % kHundred == 0) == long_ending ? value
                                                                                     : std::nullopt;
}

std::string in_digits(int value) {
  std::string digits = std::to_string(value);
  if (value >= kFirstWithPoint) {
    digits.insert(digits.size() - 3, ".");
  }
  return digits;
}

struct ClockTime {
  int hour = 0;
  std::optional<int> minute = std::nullopt;
  bool in_digits = false;
};

// Returns a time such as 9, "19:30", "19.30" or "neunzehn".
std::optional<ClockTime> time_of(const std::string& text) {
  const std::size_t sign = text.find_first_of(":.");
  const std::string_view digits = std::string_view(text).substr(0, sign);
  ClockTime time;
  const bool in_words = sign == text.npos && !all_digits(digits);
  if (const auto hour = in_words && digits == kZero ? std::optional(0)
                        : in_words                  ? below_hundred(digits)
                                                    : short_number(digits)) {
    time.hour = *hour;
    time.in_digits = is_digit(digits[0]);
  } else {
    return std::nullopt;
  }
  if (sign != text.npos) {
    const std::string_view minutes = std::string_view(text).substr(sign + 1);
    time.minute = minutes.size() == 2 ? short_number(minutes) : std::nullopt;
    if (time.minute.value_or(kMinutes) >= kMinutes) {
      return std::nullopt;
    }
  }
  return time.hour <= kHours ? std::optional(time) : std::nullopt;
}

// Whether a further word may follow the first ones.
bool end_open(std::span<const Core> words, std::size_t count) {
  return words.size() == count && words.back().after.empty();
}

// What is read of the words after "Uhr".
struct Minutes {
  std::optional<int> value;
  std::size_t words = 0;
  bool unclear = false;  // a number that may be minutes or count what follows
  bool may_continue = false;
};

// Reads the minutes at this position: "15", "fünfzehn", "null drei". "Um acht Uhr zwei Busse" may
// have none.
Minutes read_minutes(std::span<const Core> words, std::size_t at) {
  if (!follows(words, at)) {
    return {};
  }
  const std::string& text = words[at].text;
  Minutes read;
  if (text == kZero) {
    read.may_continue = end_open(words, at + 1);
    read.value = follows(words, at + 1) ? value_in(kUnits, words[at + 1].text) : std::nullopt;
    read.words = 2;
    read.unclear = !read.value;
    return read;
  }
  const bool digits = all_digits(text);
  const auto value = digits ? short_number(text) : below_hundred(text);
  if (!value || *value >= kMinutes || text == "ein") {
    return read;
  }
  const bool likely = digits ? text.size() == 2 : *value % 5 == 0 || *value >= 13;
  if (!likely) {
    read.unclear = true;
  } else if (!follows(words, at + 1) || !contains(kCounted, words[at + 1].text)) {
    read.value = value;
    read.words = 1;
    read.may_continue = end_open(words, at + 1);
  }
  return read;
}

std::string to_text(const ClockTime& time, bool english) {
  if (!english) {
    return clock_text(time.hour, time.minute);
  }
  const bool midnight = time.hour % kHours == 0;
  const bool afternoon = time.hour > kNoon || (time.hour == kNoon && time.in_digits);
  const int hour = (time.hour + kNoon - 1) % kNoon + 1;
  // Models copy "7:00 p.m." more reliably than "7 p.m."
  return midnight || afternoon
             ? clock_text(hour, time.minute.value_or(0)) + (midnight ? " a.m." : " p.m.")
             : clock_text(hour, time.minute);
}

// The parts of hours that precede an hour which has not been reached.
std::optional<int> part_before(const std::string& text) {
  return text == "halb"          ? std::optional(30)
         : text == "viertel"     ? std::optional(15)
         : text == "dreiviertel" ? std::optional(45)
                                 : std::nullopt;
}

// "halb elf"
std::optional<Figures> find_part_of_hour(std::span<const Core> words, std::string_view previous,
                                         bool english) {
  // "ein halb", "anderthalb"
  constexpr auto kBeforeNoTime = std::to_array<std::string_view>(
      {"ein", "einem", "das", "dem", "im", "zwei", "drei", "anderthalb"});
  const auto minute = part_before(words[0].text);
  const bool is_time = words[0].text == "viertel" ? contains(kBeforeQuarter, previous)
                                                  : !contains(kBeforeNoTime, previous);
  // "halb ein Wunder"
  if (!minute || !is_time || !follows(words, 1) || words[1].text == "ein") {
    return std::nullopt;
  }
  const auto next = time_of(words[1].text);
  if (!next || next->minute || next->hour < 1 || next->hour > kNoon) {
    return std::nullopt;
  }
  const int hour = next->hour == 1 ? kNoon : next->hour - 1;
  return Figures{2, words[0].before, to_text({hour, *minute}, english) + (english ? "" : " Uhr"),
                 words[1].after};
}

// What is read of "14 bis 16 Uhr 30".
struct Times {
  std::vector<ClockTime> times;
  std::string joint;      // "bis"
  std::size_t words = 0;  // of the text so far
  bool with_uhr = false;
  bool unclear = false;  // whether the number after "Uhr" is minutes
  bool may_continue = false;
};

Times read_times(std::span<const Core> words) {
  Times read;
  const auto first = time_of(words[0].text);
  // "ein" is too common for waiting.
  if (!first || words[0].text == "ein" || words[0].text == "eins") {
    return read;
  }
  read.times.push_back(*first);
  read.words = 1;
  // "drei und" is too common for waiting, too.
  const bool likely = is_digit(words[0].text[0]) || first->hour > kNoon;
  if (likely && follows(words, 1) &&
      (words[1].text == "bis" || words[1].text == "und" || words[1].text == "oder")) {
    const auto second = follows(words, 2) ? time_of(words[2].text) : std::nullopt;
    if (second) {
      read.times.push_back(*second);
      read.joint = words[1].text;
      read.words = 3;
    } else {
      read.may_continue = end_open(words, 2);
      return read;
    }
  }
  if (follows(words, read.words) && words[read.words].text == "uhr") {
    read.with_uhr = true;
    ++read.words;
    ClockTime& last = read.times.back();
    read.may_continue = (!last.minute || last.hour == kNoon) && end_open(words, read.words);
    if (!last.minute) {
      const Minutes minutes = read_minutes(words, read.words);
      last.minute = minutes.value;
      read.unclear = minutes.unclear;
      read.may_continue = read.may_continue || minutes.may_continue;
      read.words += minutes.value ? minutes.words : 0;
    }
  } else {
    read.may_continue = end_open(words, read.words);
  }
  return read;
}

std::optional<Figures> find_times(std::span<const Core> words, const PreviousWords& previous,
                                  bool english) {
  Times read = read_times(words);
  if (!read.with_uhr || read.unclear) {  // "Lukas 15:11" is no time, and "24:15" a score
    return std::nullopt;
  }
  ClockTime& last = read.times.back();
  const bool night = contains(kNightBefore, previous.last) ||
                     contains(kNightBefore, previous.earlier) ||
                     (follows(words, read.words) && contains(kNightAfter, words[read.words].text));
  last.in_digits = last.in_digits && !(night && last.hour == kNoon);
  const bool exact = std::any_of(read.times.begin(), read.times.end(), [](const ClockTime& time) {
    return time.minute || time.hour > kNoon || (time.hour == kNoon && time.in_digits);
  });
  if (!exact) {
    return std::nullopt;
  }
  std::string text = to_text(read.times[0], english);
  if (read.times.size() > 1) {
    text += " " + read.joint + " " + to_text(read.times[1], english);
  }
  return Figures{read.words, words[0].before, text + (english ? "" : " Uhr"),
                 words[read.words - 1].after};
}

// A number, of whose parts a recogniser may make words: "neunzehnhundert fünfundachtzig".
struct Number {
  int value = 0;
  std::size_t words = 0;  // 0: there is none
  bool ordinal = false;
  bool may_continue = false;
};

Number read_number(std::span<const Core> words) {
  Number read;
  const auto first_ordinal = ordinal_of(words[0].text);
  if (first_ordinal) {
    return {*first_ordinal, 1, /*ordinal=*/true};
  }
  const auto first = value_of(words[0].text);
  if (!first) {
    return read;
  }
  read.value = *first;
  read.words = 1;
  while (read.value >= kHundred && read.value % kHundred == 0) {
    read.may_continue = end_open(words, read.words);
    const int limit = read.value % kThousand == 0 ? kThousand : kHundred;
    const auto below = [&](const std::optional<int>& value) { return value && *value < limit; };
    // "hundert ein paar"
    if (!follows(words, read.words) || words[read.words].text == "ein") {
      break;
    }
    const auto cardinal = value_of(words[read.words].text);
    const auto ordinal = ordinal_of(words[read.words].text);
    if (!below(cardinal) && !below(ordinal)) {
      break;
    }
    read.ordinal = !below(cardinal);
    read.value += read.ordinal ? *ordinal : *cardinal;
    ++read.words;
    read.may_continue = false;
    if (read.ordinal) {
      break;
    }
  }
  return read;
}

std::optional<Figures> find_number(std::span<const Core> words, std::string_view previous) {
  // "neun von hundert zehn Jahre später"
  constexpr auto kBeforeWhole = std::to_array<std::string_view>({"von", "unter", "aus"});
  const Number read = read_number(words);
  if (read.words == 0 || value_of(previous) ||
      (read.words > 1 && contains(kBeforeWhole, previous) &&
       *value_of(words[0].text) <= kThousand)) {
    return std::nullopt;
  }
  const bool in_figures = read.ordinal ? read.value >= kFirstOrdinalInFigures &&
                                             (read.value < kThousand || read.words > 1)
                                       : is_hard_cardinal(read.value);
  if (!in_figures) {
    return std::nullopt;
  }
  return Figures{read.words, words[0].before, in_digits(read.value) + (read.ordinal ? "." : ""),
                 words[read.words - 1].after};
}

}  // namespace

std::optional<Figures> find_german_figures(std::span<const Core> words,
                                           const PreviousWords& previous, bool to_english) {
  auto found = find_part_of_hour(words, previous.last, to_english);
  found = found ? found : find_times(words, previous, to_english);
  found = found ? found : find_number(words, previous.last);
  if (found && found->text.ends_with('.') && found->after.starts_with('.')) {
    found->after.erase(0, 1);
  }
  return found;
}

bool may_continue_german_figures(std::span<const Core> words) {
  return (end_open(words, 1) && part_before(words[0].text)) || read_times(words).may_continue ||
         read_number(words).may_continue;
}

}  // namespace surtitle
