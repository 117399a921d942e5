#include "daemon/translation/word_core.h"

#include <algorithm>
#include <utility>

#include "daemon/translation/characters.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

Core core_of(std::string_view word) {
  Core core;
  std::string signs;  // after the last letter or digit so far
  each_character(word, [&](char32_t character, std::string_view bytes) {
    if (u_isalnum(icu_code(character)) == 0) {
      (core.text.empty() ? core.before : signs) += bytes;
      return;
    }
    core.text += std::exchange(signs, {});
    append_utf8(folded(character), core.text);
  });
  core.after = std::move(signs);
  return core;
}

}  // namespace

std::vector<Core> cores_of(std::span<const std::string> words) {
  std::vector<Core> cores(words.size());
  std::transform(words.begin(), words.end(), cores.begin(),
                 [](const std::string& word) { return core_of(word); });
  return cores;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
}

std::optional<int> short_number(std::string_view text) {
  return all_digits(text) && text.size() <= 2 ? std::optional(std::stoi(std::string(text)))
                                              : std::nullopt;
}

std::string clock_text(int hour, std::optional<int> minute) {
  std::string text = std::to_string(hour);
  if (minute) {
    text += (*minute < 10 ? ":0" : ":") + std::to_string(*minute);
  }
  return text;
}

}  // namespace surtitle
