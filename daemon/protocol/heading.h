// The heading of a stream, which pages and transcripts show: its title and its speaker.
//
// Thread-safety: all functions may be called from any thread; headings are plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace surtitle {
class JsonFields;
class JsonWriter;
}  // namespace surtitle

namespace surtitle::protocol {

inline constexpr std::size_t kMaxHeading = 200;  // characters of a title, or of a speaker
inline constexpr std::string_view kHeadingRule =
    "at most 200 characters, on one line and without control characters";

struct Heading {
  std::string title;    // free text; "": none
  std::string speaker;  // free text; "": none

  bool empty() const noexcept { return title.empty() && speaker.empty(); }
  bool operator==(const Heading&) const = default;
};

// Returns true if a title or a speaker may have this text (kHeadingRule). REQUIRES: valid UTF-8.
bool is_heading_text(std::string_view text);

// Writes the fields `title` and `speaker`, without empty ones.
JsonWriter& add_heading(JsonWriter& json, const Heading& heading);
// Reads the fields that add_heading() writes. If one is invalid, the error is in `fields`.
Heading read_heading(JsonFields& fields);

}  // namespace surtitle::protocol
