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
  // Returns the form from this text on if the text changes it. The form is written at first. Three
  // words without case and punctuation make it spoken, and the first text with them makes it
  // written for good. REQUIRES: valid UTF-8, with one
  // space between words.
  std::optional<TextForm> on_text(std::string_view text);

 private:
  TextForm form_ = TextForm::kWritten;
  bool is_sure_ = false;
};

}  // namespace surtitle
