#include "daemon/translation/english_numbers.h"

#include <algorithm>
#include <array>

#include "daemon/translation/language_figures.h"

namespace surtitle {
namespace {

constexpr auto kSmallWords = std::to_array<std::string_view>(
    {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
     "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"});
constexpr auto kTensWords = std::to_array<std::string_view>(
    {"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"});
constexpr auto kDecadeWords = std::to_array<std::string_view>(
    {"twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"});
constexpr auto kOrdinalWords = std::to_array<std::string_view>(
    {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"});

// Words before "nineteen eighty" and "twenty twenty-five" which show that it is a year, and not
// "about that many".
constexpr auto kBeforeYear = std::to_array<std::string_view>(
    {"in",    "since",   "of",        "from",     "by",       "until",   "till",   "before",
     "after", "between", "year",      "early",    "late",     "spring",  "summer", "autumn",
     "fall",  "winter",  "january",   "february", "march",    "april",   "may",    "june",
     "july",  "august",  "september", "october",  "november", "december"});
// Words before two numbers that are no year even if they look like one.
constexpr auto kBeforeNoYear =
    std::to_array<std::string_view>({"at", "page", "pages", "chapter", "verse", "psalm", "number",
                                     "room", "row", "seat", "point", "hundred", "thousand"});
constexpr int kTen = 10;
constexpr int kHundred = 100;

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Returns the position of a word from 1 on. 0: it is not there.
template <class Words>
int rank(const Words& words, std::string_view word) {
  const auto* const found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? 0 : static_cast<int>(found - words.begin()) + 1;
}

// Returns 20 for "twenty". 0: none
int tens_of(std::string_view word) {
  const int tens = rank(kTensWords, word);
  return tens == 0 ? 0 : (tens + 1) * kTen;
}

// Returns 3 for "three". 0: none
int unit_of(std::string_view word) {
  const int unit = rank(kSmallWords, word);
  return unit < kTen ? unit : 0;
}

// Reads one number word after the other, as long as no signs separate them.
class NumberReader {
 public:
  explicit NumberReader(std::span<const Core> words) : words_(words) {}

  // Returns the word at the position, or "" after the end.
  [[nodiscard]] std::string_view word(std::size_t ahead = 0) const {
    const std::size_t at = at_ + ahead;
    for (std::size_t i = std::max<std::size_t>(at_, 1); i <= at && i < words_.size(); ++i) {
      if (!words_[i - 1].after.empty() || !words_[i].before.empty()) {
        return "";
      }
    }
    return at < words_.size() ? std::string_view(words_[at].text) : "";
  }
  [[nodiscard]] std::size_t at() const { return at_; }
  void skip(std::size_t words = 1) { at_ += words; }

  // Reads "ninety-eight", "ninety eight" or "nine". 0: there is none.
  int below_hundred() {
    if (const int value = english_number_word(word()); value > 0) {
      const int unit = tens_of(word()) > 0 ? unit_of(word(1)) : 0;
      skip(unit > 0 ? 2 : 1);
      return value + unit;
    }
    return 0;
  }

  // Reads "three hundred and sixty-five", or a smaller number. 0: there is none.
  int below_ten_thousand() {
    int value = below_hundred();
    if (value > 0 && word() == "hundred") {
      skip();
      value = value * kHundred + after_multiple();
    }
    return value;
  }

  // Reads what may follow "hundred" or "thousand": "and five", "five".
  int after_multiple() {
    const bool joined = word() == "and";
    if (joined && english_number_word(word(1)) == 0) {
      return 0;
    }
    skip(joined ? 1 : 0);
    return below_hundred();
  }

  // Reads a cardinal. 0: there is none.
  int cardinal() {
    int value = below_ten_thousand();
    if (value > 0 && value < kThousand && word() == "thousand") {
      skip();
      const bool joined = word() == "and" && english_number_word(word(1)) > 0;
      skip(joined ? 1 : 0);
      value = value * kThousand + below_ten_thousand();
    }
    return value;
  }

 private:
  std::span<const Core> words_;
  std::size_t at_ = 0;
};

// Returns the value of "twenty-third", "twenty third". Smaller ones are translated well.
std::optional<EnglishNumber> find_ordinal(std::span<const Core> words, std::string_view previous) {
  NumberReader reader(words);
  const std::string_view word = reader.word();
  const std::size_t joint = word.find('-');
  const int tens = tens_of(word.substr(0, joint));
  const std::string_view last = joint == word.npos ? reader.word(1) : word.substr(joint + 1);
  const int unit = rank(kOrdinalWords, last);
  // "a twenty-second video"
  const bool seconds = last == "second" && previous != "the" && !contains(kBeforeYear, previous);
  if (tens == 0 || unit == 0 || seconds || contains(kBeforeNoYear, previous)) {
    return std::nullopt;
  }
  return EnglishNumber{joint == word.npos ? 2U : 1U, tens + unit, EnglishNumber::Kind::kOrdinal};
}

// Returns the value of "nineteen ninety-four", "nineteen oh five", "nineteen eighties".
std::optional<EnglishNumber> find_year(std::span<const Core> words, std::string_view previous) {
  NumberReader reader(words);
  const int century = english_number_word(reader.word());
  constexpr int kFirst = 11;
  constexpr int kLast = 20;
  if (century < kFirst || century > kLast || contains(kBeforeNoYear, previous) ||
      english_number_word(previous) > 0) {
    return std::nullopt;
  }
  reader.skip();
  if (const int decade = rank(kDecadeWords, reader.word()); decade > 0) {
    return EnglishNumber{2, century * kHundred + (decade + 1) * kTen, EnglishNumber::Kind::kDecade};
  }
  const bool zero = reader.word() == "oh" || reader.word() == "o";
  reader.skip(zero ? 1 : 0);
  const int rest = zero ? unit_of(reader.word()) : 0;
  reader.skip(rest > 0 ? 1 : 0);
  const int year = zero ? rest : reader.below_hundred();
  // "in nineteen fourteen", but "fifteen, sixteen people" and "twenty, twenty-five people" without
  // their commas
  constexpr int kFirstClear = 16;
  const bool clear = contains(kBeforeYear, previous) ||
                     (century >= kFirstClear && century < kLast && year > kLast && year % kTen > 0);
  if (year == 0 || (!zero && year < kTen) || !(zero || clear)) {
    return std::nullopt;
  }
  return EnglishNumber{reader.at(), century * kHundred + year, EnglishNumber::Kind::kYear};
}

}  // namespace

int english_number_word(std::string_view word) {
  if (const int small = rank(kSmallWords, word); small > 0) {
    return small;
  }
  const std::size_t joint = word.find('-');
  const int tens = tens_of(word.substr(0, joint));
  if (tens == 0 || joint == word.npos) {
    return tens;
  }
  const int unit = unit_of(word.substr(joint + 1));
  return unit == 0 ? 0 : tens + unit;
}

std::optional<EnglishNumber> find_english_number(std::span<const Core> words,
                                                 std::string_view previous) {
  auto found = find_ordinal(words, previous);
  found = found ? found : find_year(words, previous);
  if (found) {
    return found;
  }
  NumberReader reader(words);
  const int value = reader.cardinal();
  if (value == 0) {
    return std::nullopt;
  }
  // "two hundred and five hundred", "three hundred sixty fifth", "one hundred ten point five"
  const std::string_view next = reader.word();
  const bool whole = next != "hundred" && next != "thousand" && next != "point" &&
                     rank(kOrdinalWords, next) == 0 && english_number_word(next) == 0;
  return whole ? std::optional(EnglishNumber{reader.at(), value}) : std::nullopt;
}

bool may_continue_english_number(std::span<const Core> words) {
  // "one" is too common for waiting.
  if (words[0].text == "one" && words.size() == 1) {
    return false;
  }
  NumberReader reader(words);
  reader.cardinal();
  const bool one_word = reader.at() == 1;
  const std::string_view next = reader.word();
  const bool joint = one_word ? next == "oh" || next == "o" : reader.at() > 1 && next == "and";
  if (joint) {
    reader.skip();
  } else if (one_word) {
    reader.below_hundred();  // the second half of a year
  }
  return reader.at() > 0 && reader.at() == words.size() && words.back().after.empty();
}

}  // namespace surtitle
