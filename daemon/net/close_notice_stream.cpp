#include "daemon/net/close_notice_stream.h"

#include <array>

namespace surtitle {

std::string text_frame(std::string_view payload) {
  constexpr char kFinalText = '\x81';
  constexpr std::size_t kMaxShortFrame = 125;
  constexpr char kTwoByteLength = 126;
  std::string frame(1, kFinalText);
  if (payload.size() <= kMaxShortFrame) {
    frame += static_cast<char>(payload.size());
  } else {  // notices and messages of add_text() have less than 64 KiB
    frame += kTwoByteLength;
    frame += static_cast<char>(payload.size() >> 8U);
    frame += static_cast<char>(payload.size() & 0xFFU);
  }
  return frame += payload;
}

bool CloseNoticeStream::closes_for_bad_payload(asio::const_buffer frame) {
  constexpr std::array<unsigned char, 2> kBadPayload{1007 >> 8, 1007 & 0xFF};
  constexpr unsigned char kFinalClose = 0x88;
  const auto* bytes = static_cast<const unsigned char*>(frame.data());
  return frame.size() >= 4 && bytes[0] == kFinalClose && bytes[2] == kBadPayload[0] &&
         bytes[3] == kBadPayload[1];
}

}  // namespace surtitle
