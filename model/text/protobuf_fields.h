// Reads the fields of a protobuf message one after the other.
//
// It covers the wire types that SentencePiece models have: varint, 32 bit, length-delimited.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace surtitle {

// A field of a message; its views point into the message.
struct ProtobufField {
  std::uint64_t number = 0;
  std::string_view whole;    // including its tag
  std::string_view content;  // of a string, bytes or message; otherwise empty
};

// Removes the first field from the front of `message` and returns it, or nullopt if `message`
// begins with no whole field of these types. Thread-safety: may be called from any thread.
std::optional<ProtobufField> take_protobuf_field(std::string_view& message);

}  // namespace surtitle
