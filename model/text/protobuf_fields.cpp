#include "model/text/protobuf_fields.h"

namespace surtitle {
namespace {

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProtobufField> take_protobuf_field(std::string_view& message) {
  enum WireType : unsigned { kVarint = 0, kDelimited = 2, kFixed32 = 5 };
  std::string_view rest = message;
  const auto tag = take_varint(rest);
  if (!tag) return std::nullopt;
  std::uint64_t length = 0;  // of the bytes that follow
  const auto type = static_cast<unsigned>(*tag & 7U);
  if (type == kVarint) {
    if (!take_varint(rest)) return std::nullopt;
  } else if (type == kFixed32) {
    length = 4;
  } else if (type == kDelimited) {
    const auto size = take_varint(rest);
    if (!size) return std::nullopt;
    length = *size;
  } else {
    return std::nullopt;
  }
  if (length > rest.size()) return std::nullopt;
  ProtobufField field{.number = *tag >> 3U, .whole = {}, .content = {}};
  if (type == kDelimited) field.content = rest.substr(0, length);
  rest.remove_prefix(length);
  field.whole = message.substr(0, message.size() - rest.size());
  message = rest;
  return field;
}

}  // namespace surtitle
