#include "daemon/base/uri.h"

#include <algorithm>
#include <charconv>

namespace surtitle {

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned int byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const char* end = digits.data() + digits.size();
    if (digits.size() != 2 || std::from_chars(digits.data(), end, byte, 16).ptr != end ||
        byte == 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

std::pair<std::string_view, std::string_view> split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  return {target.substr(0, mark),
          mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1)};
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parts;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto name = percent_decode(part.substr(0, equals));
    const auto value = percent_decode(part.substr(std::min(equals + 1, part.size())));
    if (name && value && !name->empty()) {
      parts.emplace_back(*name, *value);
    }
  }
  return parts;
}

}  // namespace surtitle
