#include "daemon/base/text.h"

#include <algorithm>
#include <charconv>

namespace surtitle {

std::size_t character_begin(std::string_view text, std::size_t position) {
  while (position > 0 && position < text.size() &&
         (static_cast<unsigned char>(text[position]) & 0xC0U) == 0x80U) {
    --position;
  }
  return position;
}

std::string in_quotes(std::string_view text, std::size_t longest) {
  const bool cut = text.size() > longest;
  std::string out(text.substr(0, character_begin(text, cut ? longest : text.size())));
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return "'" + out + (cut ? "...'" : "'");
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::optional<int> parse_number(std::string_view text, int least, int most) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  const bool valid = failure == std::errc() && stop == end && number >= least && number <= most;
  return valid ? std::optional(number) : std::nullopt;
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return escaped;
}

}  // namespace surtitle
