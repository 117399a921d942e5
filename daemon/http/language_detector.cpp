#include "daemon/http/language_detector.h"

#include <unicode/localpointer.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/ucsdet.h>
#include <unicode/ulocdata.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <map>

namespace surtitle {
namespace {

// The confidence in a language without letter statistics whose alphabet fits.
constexpr double kUndetected = 10;

icu::UnicodeString unicode(std::string_view text) {
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
}

// Returns ICU's confidence for each language of its statistics, which it has for the recognition of
// one-byte encodings.
std::map<std::string, double> confidence_by_statistics(const icu::UnicodeString& text) {
  std::string latin;
  for (std::int32_t i = 0; i < text.length(); ++i) {
    latin += text[i] <= 0xFF ? static_cast<char>(text[i]) : ' ';
  }
  std::map<std::string, double> confidences;
  UErrorCode status = U_ZERO_ERROR;
  const icu::LocalUCharsetDetectorPointer detector(ucsdet_open(&status));
  ucsdet_setText(detector.getAlias(), latin.data(), static_cast<std::int32_t>(latin.size()),
                 &status);
  std::int32_t count = 0;
  const UCharsetMatch** matches = ucsdet_detectAll(detector.getAlias(), &count, &status);
  for (std::int32_t i = 0; U_SUCCESS(status) && i < count; ++i) {
    double& confidence = confidences[ucsdet_getLanguage(matches[i], &status)];
    confidence = std::max<double>(confidence, ucsdet_getConfidence(matches[i], &status));
  }
  return confidences;
}

// Returns the share of the letters that are in the alphabet of a language, 0 if there are none.
double share_of_alphabet(const icu::UnicodeString& text, const std::string& language) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::LocalULocaleDataPointer data(ulocdata_open(language.c_str(), &status));
  const icu::LocalUSetPointer alphabet(
      ulocdata_getExemplarSet(data.getAlias(), nullptr, 0, ULOCDATA_ES_STANDARD, &status));
  if (U_FAILURE(status)) {
    return 0;
  }
  int letters = 0;
  int known = 0;
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    const UChar32 letter = u_tolower(text.char32At(i));
    if (u_isalpha(letter) != 0) {
      ++letters;
      known += uset_contains(alphabet.getAlias(), letter) != 0 ? 1 : 0;
    }
  }
  return letters == 0 ? 0 : static_cast<double>(known) / letters;
}

}  // namespace

std::vector<DetectedLanguage> detect_language(std::string_view text,
                                              const std::set<std::string>& languages) {
  const icu::UnicodeString letters = unicode(text);
  const std::map<std::string, double> statistics = confidence_by_statistics(letters);
  std::vector<DetectedLanguage> detected;
  for (const std::string& language : languages) {
    const auto found = statistics.find(icu::Locale(language.c_str()).getLanguage());
    const double confidence = found == statistics.end() ? 0 : found->second;
    detected.push_back(
        {language, std::max(kUndetected, confidence) * share_of_alphabet(letters, language)});
  }
  std::stable_sort(detected.begin(), detected.end(), [](const auto& one, const auto& other) {
    return one.confidence > other.confidence;
  });
  return detected;
}

std::string language_name(const std::string& language) {
  icu::UnicodeString name;
  std::string text;
  icu::Locale(language.c_str()).getDisplayName(icu::Locale::getEnglish(), name);
  return name.toUTF8String(text);
}

}  // namespace surtitle
