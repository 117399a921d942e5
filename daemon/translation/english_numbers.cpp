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

constexpr auto kMonths =
    std::to_array<std::string_view>({"january", "february", "march", "april", "may", "june", "july",
                                     "august", "september", "october", "november", "december"});
// Words before "nineteen eighty" and "twenty twenty-five" which show that it is a year, and not
// "about that many".
constexpr auto kBeforeYear = std::to_array<std::string_view>(
    {"in", "since", "of", "from", "by", "before", "after", "between", "year", "early", "late",
     "spring", "summer", "autumn", "fall", "winter"});
// Words after which "fourteen thirty" may be a time.
constexpr auto kBeforeTime =
    std::to_array<std::string_view>({"from", "by", "before", "after", "between"});
// Words before two numbers that are no year even if they look like one.
constexpr auto kBeforeNoYear = std::to_array<std::string_view>(
    {"at",          "page",       "pages",      "chapter",     "verse",  "psalm",    "psalms",
     "genesis",     "exodus",     "leviticus",  "numbers",     "joshua", "judges",   "samuel",
     "kings",       "chronicles", "job",        "proverbs",    "isaiah", "jeremiah", "ezekiel",
     "sirach",      "matthew",    "mark",       "luke",        "john",   "acts",     "romans",
     "corinthians", "hebrews",    "revelation", "deuteronomy", "number", "room",     "row",
     "seat",        "point",      "for",        "cost",        "costs",  "only",     "price",
     "set",         "score",      "aged",       "age",         "about",  "around",   "now",
     "leaves",      "departs",    "arrives"});
constexpr auto kMultiples =
    std::to_array<std::string_view>({"hundred", "thousand", "million", "billion", "trillion"});
// Words after "fifteen twenty" which show that it means "about that many", a price or a time. Any
// other plural does, too.
constexpr auto kUnitWords = std::to_array<std::string_view>(
    {"seconds",    "minutes",   "hours", "days",    "weeks",  "months", "years",   "percent",
     "per",        "people",    "euros", "dollars", "pounds", "metres", "meters",  "kilometres",
     "kilometers", "miles",     "feet",  "kilos",   "points", "times",  "degrees", "plus",
     "more",       "different", "year",  "train",   "bus",    "flight"});
// The same, but not after "in nineteen forty".
constexpr auto kAfterPrice = std::to_array<std::string_view>({"a", "each"});
constexpr auto kNoPlurals = std::to_array<std::string_view>(
    {"is", "was", "has", "does", "as", "this", "its", "his", "us", "various", "always", "perhaps"});
// Words after "first", "second" and "third" with which these do not end an ordinal: "thirty first
// class tickets".
constexpr auto kAfterNoOrdinal = std::to_array<std::string_view>(
    {"class", "year", "years", "time", "party", "world", "hand", "aid", "lady", "ladies",
     "responder", "responders", "grader", "graders", "prizes", "places"});
constexpr int kTen = 10;

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
      skip_and();
      value = value * kHundred + below_hundred();
    }
    return value;
  }

  // Skips "and" between the parts of a number: not in "two hundred and more".
  void skip_and() {
    const bool joins = word() == "and" && english_number_word(word(1)) > 0;
    joined_ = joined_ || joins;
    skip(joins ? 1 : 0);
  }
  // Whether "and" was skipped.
  [[nodiscard]] bool joined() const { return joined_; }

  // Reads a cardinal. 0: there is none. -1: the words are two numbers, as in "between two thousand
  // and twenty five hundred".
  int cardinal() {
    int value = below_ten_thousand();
    if (value > 0 && value < kThousand && word() == "thousand") {
      skip();
      skip_and();
      const int rest = below_ten_thousand();
      value = rest < kThousand ? value * kThousand + rest : -1;
    }
    return value;
  }

 private:
  std::span<const Core> words_;
  std::size_t at_ = 0;
  bool joined_ = false;
};

// Whether the words before are a part of the same number: "one hundred and".
bool is_inside(const PreviousWords& previous) {
  return contains(kMultiples, previous.last == "and" ? previous.earlier : previous.last);
}

// The words of "twenty-third" and "twenty third".
struct OrdinalWords {
  std::string_view tens;
  std::string_view unit;
  std::size_t words = 1;
};

OrdinalWords ordinal_words(const NumberReader& reader) {
  const std::string_view word = reader.word();
  const std::size_t hyphen = word.find('-');
  return hyphen == word.npos ? OrdinalWords{word, reader.word(1), 2}
                             : OrdinalWords{word.substr(0, hyphen), word.substr(hyphen + 1), 1};
}

// Returns the value of "twenty-third", "twenty third". Smaller ones are translated well.
std::optional<EnglishNumber> find_ordinal(std::span<const Core> words,
                                          const PreviousWords& previous) {
  const NumberReader reader(words);
  const OrdinalWords found = ordinal_words(reader);
  const int tens = tens_of(found.tens);
  const int unit = rank(kOrdinalWords, found.unit);
  const std::string_view next = reader.word(found.words);
  // "a twenty-second video"
  const bool seconds = found.unit == "second" && !contains(kMonths, previous.last) &&
                       !(previous.last == "the" && (next.empty() || next == "of"));
  if (tens == 0 || unit == 0 || seconds || is_inside(previous) ||
      (found.words == 2 && contains(kAfterNoOrdinal, next))) {
    return std::nullopt;
  }
  return EnglishNumber{found.words, tens + unit, EnglishNumber::Kind::kOrdinal};
}

// Returns the value of "nineteen ninety-four", "nineteen oh five", "nineteen eighties". `before`:
// the word before it.
std::optional<EnglishNumber> find_year(std::span<const Core> words, std::string_view before) {
  NumberReader reader(words);
  const int century = english_number_word(reader.word());
  constexpr int kFirst = 13;  // "twelve thirty" is a time
  constexpr int kLast = 20;
  if (century < kFirst || century > kLast || contains(kBeforeNoYear, before) ||
      english_number_word(before) > 0 || contains(kMultiples, before)) {
    return std::nullopt;
  }
  reader.skip();
  const auto year = [&](int rest, EnglishNumber::Kind kind = EnglishNumber::Kind::kYear) {
    return EnglishNumber{reader.at(), century * kHundred + rest, kind};
  };
  if (const int decade = rank(kDecadeWords, reader.word()); decade > 0) {
    reader.skip();
    return year((decade + 1) * kTen, EnglishNumber::Kind::kDecade);
  }
  if (reader.word() == "oh" || reader.word() == "o") {
    const int unit = unit_of(reader.word(1));
    reader.skip(2);
    return unit > 0 ? std::optional(year(unit)) : std::nullopt;
  }
  const std::size_t second = reader.at();
  const int rest = reader.below_hundred();
  const std::string_view next = reader.word();
  if (rest < kTen || next == "point") {
    return std::nullopt;
  }
  // "nineteen ninety-four", but "nineteen thirty" only "in nineteen thirty", and not "in fifteen
  // twenty minutes" or "of eighteen nineteen"
  constexpr int kFirstClear = 16;
  const bool with_unit = rest > kLast && rest % kTen > 0;
  constexpr int kLastTime = 18;
  constexpr int kMinutesOfHour = 60;
  const bool time = century <= kLastTime && rest < kMinutesOfHour && contains(kBeforeTime, before);
  const bool likely = !time && (contains(kBeforeYear, before) || contains(kMonths, before));
  const bool clear = with_unit && century >= kFirstClear && century < kLast && !time;
  const bool certain = before == "in" || before == "since" || before == "year";
  const bool counted = rest == century + 1 && !certain;
  // "the nineteen eighty-nine protests"
  const bool plural = before != "the" && next.ends_with('s') && !contains(kNoPlurals, next);
  const bool unit =
      contains(kUnitWords, next) || plural || (!certain && contains(kAfterPrice, next));
  // "July twenty twenty twenty-six": the first number is the day
  const bool day = english_number_word(next) > 0;
  if (!(clear && (likely || !unit)) && !(likely && !counted && !day && (with_unit || !unit))) {
    return std::nullopt;
  }
  // "In nineteen fifty five percent were poor", "in twenty twenty two million": the unit belongs to
  // what follows.
  if (reader.at() == second + 2 && (contains(kMultiples, next) || next == "percent")) {
    return EnglishNumber{2, century * kHundred + rest / kTen * kTen, EnglishNumber::Kind::kYear};
  }
  return contains(kMultiples, next) ? std::nullopt : std::optional(year(rest));
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
                                                 const PreviousWords& previous) {
  auto found = find_ordinal(words, previous);
  found = found ? found : find_year(words, previous.last);
  if (found) {
    return found;
  }
  NumberReader reader(words);
  const int value = reader.cardinal();
  if (value <= 0 || is_inside(previous)) {
    return std::nullopt;
  }
  // Nothing that follows may belong to the number, as in "two hundred and five hundred", "three
  // hundred sixty fifth", "two hundred ten point five" and "five hundred thousand and one million".
  const std::string_view next = reader.word();
  const bool scaled = contains(kMultiples, next) &&
                      (value >= kThousand || next == kMultiples[0] || next == kMultiples[1]);
  // "two hundred and one of them was broken"
  const bool whole = !scaled && next != "point" && rank(kOrdinalWords, next) == 0 &&
                     english_number_word(next) == 0 && !(reader.joined() && next == "of");
  return whole ? std::optional(EnglishNumber{reader.at(), value}) : std::nullopt;
}

bool may_continue_english_number(std::span<const Core> words) {
  NumberReader reader(words);
  const OrdinalWords ordinal = ordinal_words(reader);
  if (words.size() == ordinal.words && words.back().after.empty() && tens_of(ordinal.tens) > 0 &&
      rank(kOrdinalWords, ordinal.unit) > 0) {
    return ordinal.words == 2 || ordinal.unit == "second";
  }
  reader.cardinal();
  const bool one_word = reader.at() == 1;
  const std::string_view next = reader.word();
  const bool joined = one_word ? next == "oh" || next == "o" : reader.at() > 1 && next == "and";
  if (joined) {
    reader.skip();
  } else if (one_word) {
    reader.below_hundred();  // the second half of a year
  }
  return reader.at() > 0 && reader.at() == words.size() && words.back().after.empty();
}

}  // namespace surtitle
