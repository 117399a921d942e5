#include "daemon/translation/sentence_language.h"

#include <unicode/dtfmtsym.h>
#include <unicode/localpointer.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/ures.h>

#include <map>
#include <mutex>
#include <new>

#include "daemon/translation/sentence_tables.h"
#include "daemon/translation/word_signs.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

icu::UnicodeString unicode(std::string_view text) {
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
}

std::string utf8(const icu::UnicodeString& text) {
  std::string bytes;
  return text.toUTF8String(bytes);
}

std::string with_small_initial(std::string_view word) {
  icu::UnicodeString text = unicode(word);
  text.replace(0, text.isEmpty() ? 0 : text.moveIndex32(0, 1),
               icu::UnicodeString(u_tolower(text.char32At(0))));
  return utf8(text);
}

// Missing data are no error, as most languages have none.
void require_memory(UErrorCode status) {
  if (status == U_MEMORY_ALLOCATION_ERROR) {
    throw std::bad_alloc();
  }
}

std::unordered_set<std::string> set_of(std::string_view words) {
  std::unordered_set<std::string> set;
  for (const std::string_view word : split_words(words)) {
    set.emplace(word);
  }
  return set;
}

// Returns CLDR's abbreviations of a language. ICU's filtered break iterator would not do: it finds
// "r." of the list at the end of each word in r, too.
std::unordered_set<std::string> suppressions_of(const std::string& language) {
  constexpr const char* kBreakData = U_ICUDATA_NAME "-brkitr";
  std::unordered_set<std::string> words;
  UErrorCode status = U_ZERO_ERROR;
  const icu::LocalUResourceBundlePointer data(
      ures_openDirect(kBreakData, language.c_str(), &status));
  const icu::LocalUResourceBundlePointer exceptions(
      ures_getByKey(data.getAlias(), "exceptions", nullptr, &status));
  const icu::LocalUResourceBundlePointer list(
      ures_getByKey(exceptions.getAlias(), "SentenceBreak", nullptr, &status));
  require_memory(status);
  const std::int32_t count = U_SUCCESS(status) ? ures_getSize(list.getAlias()) : 0;
  for (std::int32_t i = 0; i < count; ++i) {
    words.emplace(
        signs_of(utf8(icu::ures_getUnicodeStringByIndex(list.getAlias(), i, &status))).core);
  }
  return words;
}

void add_cores(const icu::UnicodeString* names, std::int32_t count,
               std::unordered_set<std::string>& words) {
  for (std::int32_t i = 0; i < count; ++i) {
    words.emplace(signs_of(utf8(names[i])).core);
  }
}

// The names of the months and days: the full ones and, without their stop, the short ones.
std::unordered_set<std::string> date_words_of(const icu::Locale& locale) {
  std::unordered_set<std::string> words;
  UErrorCode status = U_ZERO_ERROR;
  const icu::DateFormatSymbols symbols(locale, status);
  require_memory(status);
  if (U_FAILURE(status)) {
    return words;
  }
  for (const auto width : {icu::DateFormatSymbols::WIDE, icu::DateFormatSymbols::ABBREVIATED}) {
    std::int32_t count = 0;
    const icu::UnicodeString* names =
        symbols.getMonths(count, icu::DateFormatSymbols::FORMAT, width);
    add_cores(names, count, words);
    names = symbols.getWeekdays(count, icu::DateFormatSymbols::FORMAT, width);
    add_cores(names, count, words);
  }
  return words;
}

bool is_vowel(UChar32 letter) {
  return icu::UnicodeString("aeiouy").indexOf(letter) >= 0 || letter > 0x7F;
}

// Whether no whole word has this end: "geogr", "monatl".
bool is_cut(std::string_view word) {
  constexpr std::string_view kBefore = "bdfgkpt";
  return word.size() > 2 && (word.back() == 'r' || word.back() == 'l') &&
         kBefore.find(word[word.size() - 2]) != std::string_view::npos;
}

// Whether a word cannot be spoken, so that it is an abbreviation: "bspw", "Hbf". Acronyms such as
// SPD, which have no stop of their own, do not count.
bool has_no_vowel(std::string_view word) {
  const icu::UnicodeString text = unicode(word);
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    const UChar32 letter = text.char32At(i);
    const bool capital = u_isUUppercase(letter) != 0;
    if (u_isalpha(letter) == 0 || is_vowel(u_tolower(letter)) || (capital && i > 0)) {
      return false;
    }
  }
  return text.length() > 1;
}

// "U.S", "p.m", "Ph.D": groups of one or two letters between stops.
bool is_dotted(std::string_view word) {
  if (word.find('.') == std::string_view::npos) {
    return false;
  }
  int group = 0;
  const icu::UnicodeString text = unicode(word);
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    const UChar32 character = text.char32At(i);
    group = character == '.' ? 0 : group + 1;
    if (group > 2 || (character != '.' && u_isalpha(character) == 0)) {
      return false;
    }
  }
  return group > 0;
}

// "Goethestr": the one abbreviation that is the end of many words.
bool is_street(std::string_view word) { return word.ends_with("str"); }

}  // namespace

const SentenceLanguage& SentenceLanguage::of(std::string_view language) {
  static std::mutex mutex;
  static std::map<std::string, SentenceLanguage, std::less<>> languages;
  const std::string name = icu::Locale(std::string(language).c_str()).getLanguage();
  const std::lock_guard lock(mutex);
  return languages.try_emplace(name, name).first->second;
}

SentenceLanguage::SentenceLanguage(const std::string& language) {
  const SentenceTables& tables = sentence_tables(language);
  const icu::Locale locale =
      language.empty() ? icu::Locale::getRoot() : icu::Locale(language.c_str());
  suppressions_ = suppressions_of(language);
  has_capital_nouns_ = tables.has_capital_nouns;
  ordinary_ = set_of(tables.ordinary);
  continues_ = set_of(tables.continues);
  ends_at_opener_ = set_of(tables.ends_at_opener);
  ends_at_capital_ = set_of(tables.ends_at_capital);
  ends_at_text_ = set_of(tables.ends_at_text);
  openers_ = set_of(tables.openers);
  before_ordinals_ = set_of(tables.before_ordinals);
  before_times_ = set_of(tables.before_times);
  always_capital_ = set_of(tables.always_capital);
  date_words_ = date_words_of(locale);
}

StopRule SentenceLanguage::listed(const std::string& word) const {
  if (continues_.contains(word)) return StopRule::kContinues;
  if (ends_at_capital_.contains(word)) return StopRule::kEndsAtCapital;
  if (ends_at_text_.contains(word)) return StopRule::kEndsAtText;
  if (ends_at_opener_.contains(word)) return StopRule::kEndsAtOpener;
  if (ordinary_.contains(word)) return StopRule::kEnds;
  return suppressions_.contains(word) ? StopRule::kEndsAtOpener : StopRule::kEnds;
}

StopRule SentenceLanguage::abbreviation(std::string_view word, bool first) const {
  StopRule rule = listed(std::string(word));
  if (rule == StopRule::kEnds && first) {
    rule = listed(with_small_initial(word));
  }
  const std::size_t hyphen = word.rfind('-');
  if (rule == StopRule::kEnds && hyphen != std::string_view::npos) {
    rule = listed(std::string(word.substr(hyphen + 1)));
  }
  const bool ordinary = ordinary_.contains(std::string(word));
  const bool shortened =
      !ordinary && (has_no_vowel(word) || is_cut(word) || is_dotted(word) || is_street(word));
  return rule == StopRule::kEnds && shortened ? StopRule::kEndsAtOpener : rule;
}

bool SentenceLanguage::opens_sentence(std::string_view word) const {
  return openers_.contains(with_small_initial(word));
}

bool SentenceLanguage::precedes_ordinal(std::string_view word) const {
  return before_ordinals_.contains(with_small_initial(word));
}

bool SentenceLanguage::precedes_time(std::string_view word) const {
  return before_times_.contains(with_small_initial(word));
}

bool SentenceLanguage::is_always_capital(std::string_view word) const {
  return always_capital_.contains(std::string(word));
}

bool SentenceLanguage::is_date_word(std::string_view word) const {
  return date_words_.contains(std::string(word));
}

}  // namespace surtitle
