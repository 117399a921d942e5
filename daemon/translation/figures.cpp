#include "daemon/translation/figures.h"

#include "daemon/translation/language_figures.h"

namespace surtitle {
namespace {

PreviousWords previous_words(const std::vector<Core>& words) {
  PreviousWords previous;
  if (!words.empty() && words.back().after.empty()) {
    previous.last = words.back().text;
    if (words.size() > 1 && words.back().before.empty() && words[words.size() - 2].after.empty()) {
      previous.earlier = words[words.size() - 2].text;
    }
  }
  return previous;
}

}  // namespace

FigureLanguage figure_language(std::string_view language) {
  const std::string_view main = language.substr(0, language.find('-'));
  return main == "de"   ? FigureLanguage::kGerman
         : main == "en" ? FigureLanguage::kEnglish
                        : FigureLanguage::kNone;
}

std::optional<Figures> find_figures(FigureLanguage language, std::span<const std::string> words,
                                    std::span<const std::string> previous, bool to_english,
                                    bool ends) {
  const std::vector<Core> cores = cores_of(words);
  if (language == FigureLanguage::kNone || cores[0].text.empty()) {
    return std::nullopt;
  }
  const PreviousWords before = previous_words(cores_of(previous));
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
