// Detects from a recogniser's first texts whether they have case and punctuation.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string_view>

#include "model/text/text_form.h"

namespace surtitle {

class SourceFormDetector {
 public:
  // Returns the form from this text on if the text changes it, or nullopt otherwise. The form is
  // kWritten at first. Three words without case and punctuation change it to kSpoken. The first
  // text with case or punctuation changes it to kWritten, and no later text changes it. REQUIRES:
  // valid UTF-8, with one space between words.
  std::optional<TextForm> on_text(std::string_view text);

 private:
  TextForm form_ = TextForm::kWritten;
  bool is_sure_ = false;
};

}  // namespace surtitle
