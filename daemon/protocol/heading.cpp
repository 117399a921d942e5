#include "daemon/protocol/heading.h"

#include <algorithm>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_writer.h"
#include "model/util/utf8.h"

namespace surtitle::protocol {
namespace {

// Returns true for Unicode's control characters, and for the separators of lines and paragraphs.
bool is_control(char32_t character) {
  constexpr char32_t kDelete = 0x7F;
  constexpr char32_t kLastControl = 0x9F;
  return character < U' ' || (character >= kDelete && character <= kLastControl) ||
         character == U'\u2028' || character == U'\u2029';
}

std::string read_text(JsonFields& fields, std::string_view key) {
  std::string text = fields.optional_text(key).value_or("");
  if (!is_heading_text(text)) {
    fields.fail(key, kHeadingRule);
  }
  return text;
}

}  // namespace

bool is_heading_text(std::string_view text) {
  std::size_t characters = 0;
  while (!text.empty()) {
    const auto length = static_cast<std::size_t>(std::max(first_character_length(text), 1));
    if (++characters > kMaxHeading || is_control(code_point(text.substr(0, length)))) {
      return false;
    }
    text.remove_prefix(std::min(length, text.size()));
  }
  return true;
}

JsonWriter& add_heading(JsonWriter& json, const Heading& heading) {
  if (!heading.title.empty()) {
    json.field("title", heading.title);
  }
  return heading.speaker.empty() ? json : json.field("speaker", heading.speaker);
}

Heading read_heading(JsonFields& fields) {
  return {read_text(fields, "title"), read_text(fields, "speaker")};
}

}  // namespace surtitle::protocol
