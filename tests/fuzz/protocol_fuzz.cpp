// Fuzz target of the wire protocol's messages, in both directions.
//
// An accepted message must be the same after it is written and read again.
#include "daemon/protocol/protocol.h"
#include "model/util/utf8.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

template <class Parse>
void check(std::string_view text, const Parse& parse) {
  const auto parsed = parse(text);
  if (const auto* error = std::get_if<protocol::Error>(&parsed)) {
    fuzz::require_one_line(error->message);
    fuzz::require(is_valid_utf8(error->message), "an error message is not UTF-8", error->message);
    return;
  }
  const std::string written = protocol::to_json(std::get<0>(parsed));
  const auto again = parse(written);
  fuzz::require(again.index() == 0, "a written message is rejected", written);
  fuzz::require(protocol::to_json(std::get<0>(again)) == written,
                "a message differs when it is read again", written);
}

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  const std::string_view text = fuzz::text_of(data, size);
  check(text, protocol::parse_client_message);
  check(text, protocol::parse_server_message);
  return 0;
}
