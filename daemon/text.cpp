#include "daemon/text.h"

#include <algorithm>

namespace surtitle {

std::string quoted(std::string_view text, std::size_t longest) {
  const bool cut = text.size() > longest;
  std::size_t end = cut ? longest : text.size();
  while (cut && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // never inside a UTF-8 character
  }
  std::string out(text.substr(0, end));
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return "'" + out + (cut ? "...'" : "'");
}

}  // namespace surtitle
