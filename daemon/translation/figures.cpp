#include "daemon/translation/figures.h"

#include "daemon/translation/language_figures.h"

namespace surtitle {

FigureLanguage figure_language(std::string_view language) {
  const std::string_view main = language.substr(0, language.find('-'));
  return main == "de"   ? FigureLanguage::kGerman
         : main == "en" ? FigureLanguage::kEnglish
                        : FigureLanguage::kNone;
}

std::optional<Figures> find_figures(FigureLanguage language, std::span<const std::string> words,
                                    const std::string& previous, bool to_english, bool ends) {
  const std::vector<Core> cores = cores_of(words);
  if (language == FigureLanguage::kNone || cores[0].text.empty()) {
    return std::nullopt;
  }
  const std::string before = cores_of({&previous, 1})[0].text;
  return language == FigureLanguage::kGerman
             ? find_german_figures(cores, before, to_english)
             : find_english_figures(cores, before, to_english, ends);
}

bool may_continue_figures(FigureLanguage language, std::span<const std::string> words) {
  const std::vector<Core> cores = cores_of(words);
  if (language == FigureLanguage::kNone || cores[0].text.empty()) {
    return false;
  }
  return language == FigureLanguage::kGerman ? may_continue_german_figures(cores)
                                             : may_continue_english_figures(cores);
}

}  // namespace surtitle
