// The little of protobuf's wire format that SentencePiece models need looking into: the fields of
// one message, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace surtitle {

// A field as it stands in a message.
struct ProtobufField {
  std::uint64_t number = 0;
  std::string_view whole;    // tag and all
  std::string_view content;  // of a string, bytes or message; else empty
};

// Cuts the first field from the front of `message`; nothing where no whole field of a kind that
// SentencePiece models have (varint, 32 bit, length-delimited) stands there.
std::optional<ProtobufField> take_protobuf_field(std::string_view& message);

}  // namespace surtitle
