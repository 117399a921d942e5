#include "model/text/words.h"

#include <algorithm>

#include "model/util/utf8.h"

namespace surtitle {

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const int length = first_character_length(text.substr(at));
    const auto next = at + static_cast<std::size_t>(std::max(length, 1));  // also past other bytes
    if (length > 0 && is_white_space(code_point(text.substr(at, next - at)))) {
      if (at > begin) words.push_back(text.substr(begin, at - begin));
      begin = next;
    }
    at = next;
  }
  if (text.size() > begin) words.push_back(text.substr(begin));
  return words;
}

}  // namespace surtitle
