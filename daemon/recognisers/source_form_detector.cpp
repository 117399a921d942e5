#include "daemon/recognisers/source_form_detector.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/text/ascii.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::size_t kMinWords = 3;

// Lower case or upper case alone, without punctuation.
bool is_spoken(std::string_view text) {
  const std::string spoken = spoken_text(text);
  return std::any_of(text.begin(), text.end(), is_upper)
             ? std::none_of(text.begin(), text.end(), is_lower) && spoken.size() == text.size()
             : spoken == text;
}

}  // namespace

std::optional<TextForm> SourceFormDetector::on_text(std::string_view text) {
  if (is_sure_) {
    return std::nullopt;
  }
  TextForm form = form_;
  if (!is_spoken(text)) {
    form = TextForm::kWritten;
    is_sure_ = true;
  } else if (split_words(text).size() >= kMinWords) {
    form = TextForm::kSpoken;
  }
  return std::exchange(form_, form) == form ? std::nullopt : std::optional(form);
}

}  // namespace surtitle
