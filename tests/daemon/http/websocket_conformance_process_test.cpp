// RFC 6455 against the daemon, frame by frame, as in the table of tests/RELIABILITY.md. Other
// connections continue, whatever one sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/raw_websocket.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kStart = protocol::to_json(start_message());
constexpr int kMessageBytes = 65536;

std::string text(const std::string& payload, bool fin = true) {
  return bytes_of({.payload = payload, .fin = fin});
}
std::string more(const std::string& payload, bool fin = true) {
  return bytes_of({.opcode = kContinuation, .payload = payload, .fin = fin});
}
std::string ping(const std::string& payload) {
  return bytes_of({.opcode = kPing, .payload = payload});
}
std::string close(int code, const std::string& reason = {}) {
  return bytes_of({.opcode = kClose, .payload = close_payload(code, reason)});
}

// Returns a start message of this size.
std::string start_of(std::size_t bytes) { return kStart + std::string(bytes - kStart.size(), ' '); }

// Returns a start message with these bytes in a field that the daemon ignores.
std::string start_with(const std::string& bytes) {
  return kStart.substr(0, kStart.size() - 1) + R"(,"x":")" + bytes + "\"}";
}

std::string in_fragments(const std::string& payload, std::size_t size) {
  std::string frames = text("", false);
  for (std::size_t i = 0; i < payload.size(); i += size) {
    frames += more(payload.substr(i, size), false);
  }
  return frames + more("");
}

struct Row {
  std::string name;
  std::string bytes;  // sent at once
  std::string ends;   // see RawWebsocket::rest()
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

const std::string kBadUtf8 = "error:bad-utf8 bye:error close(1007)";
const std::string kTooLarge = "error:message-too-large bye:error close(1009)";
const std::string kWrong = "close(1002)";
const std::string kReady = "ready close(1000)";

std::vector<Row> fragmentation() {
  const std::string begin = kStart.substr(0, 5);
  const std::string end = kStart.substr(5);
  return {
      {"ThreeFragments", text(begin, false) + more(end.substr(0, 9), false) + more(end.substr(9)),
       kReady},
      {"EmptyFragments", text("", false) + more("", false) + more(kStart, false) + more(""),
       kReady},
      {"ManyEmptyFragments", in_fragments(kStart, 1) + text("{}"),
       "ready error:bad-field bye:error "
       "close(4400)"},
      {"PingBetweenFragments", text(begin, false) + ping("hi") + more(end), "pong(hi) " + kReady},
      {"PongBetweenFragments",
       text(begin, false) + bytes_of({.opcode = kPong, .payload = "x"}) + more(end), kReady},
      {"CloseBetweenFragments", text(begin, false), "close(1000)"},
      {"NothingToContinue", more(kStart), kWrong},
      {"TextInsideAMessage", text(begin, false) + text(kStart), kWrong},
      {"BinaryInsideAMessage", text(begin, false) + bytes_of({.opcode = kBinary, .payload = "x"}),
       kWrong},
      {"FragmentedPing", bytes_of({.opcode = kPing, .payload = "a", .fin = false}), kWrong},
      {"FragmentedClose", bytes_of({.opcode = kClose, .fin = false}), kWrong},
  };
}

std::vector<Row> control_frames() {
  const std::string longest(125, 'p');
  std::vector<Row> rows{
      {"EmptyPing", ping(""), "pong() close(1000)"},
      {"LongestPing", ping(longest), "pong(" + longest + ") close(1000)"},
      {"TooLongPing", ping(longest + "p"), kWrong},
      {"PingThatIsNotUtf8", ping("\xFF"), "pong(\xFF) close(1000)"},
      {"ThreePings", ping("1") + ping("2") + ping("3"), "pong(1) pong(2) pong(3) close(1000)"},
      {"UnsolicitedPong", bytes_of({.opcode = kPong, .payload = "x"}), "close(1000)"},
      {"EmptyClose", bytes_of({.opcode = kClose}), "close(1000)"},
      {"CloseOfOneByte", bytes_of({.opcode = kClose, .payload = "a"}), kWrong},
      {"CloseWithTheLongestReason", close(1000, std::string(123, 'r')), "close(1000)"},
      {"TooLongClose", close(1000, std::string(124, 'r')), kWrong},
      {"CloseWhoseReasonIsNotUtf8", close(1000, "\xFF"), kWrong},
      {"DataAfterAClose", close(1001) + ping("x") + text(kStart), "close(1001)"},
      {"BothCloseAtOnce", text("{") + close(1000), "error:bad-json bye:error close(4400)"},
  };
  for (const int code :
       {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 3000, 3999, 4000, 4999}) {
    rows.push_back(
        {"Close" + std::to_string(code), close(code), "close(" + std::to_string(code) + ")"});
  }
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999}) {
    rows.push_back({"NoCloseCode" + std::to_string(code), close(code), kWrong});
  }
  return rows;
}

std::vector<Row> frame_heads() {
  const std::string payload(200, ' ');
  std::vector<Row> rows{
      {"Unmasked", bytes_of({.payload = kStart, .masked = false}), kWrong},
      {"UnmaskedPing", bytes_of({.opcode = kPing, .masked = false}), kWrong},
      {"SixteenBitsForAShortLength", bytes_of({.payload = "{}", .length_bits = 16}), kWrong},
      {"SixtyFourBitsForAShortLength", bytes_of({.payload = "{}", .length_bits = 64}), kWrong},
      {"SixtyFourBitsForAMiddleLength", bytes_of({.payload = payload, .length_bits = 64}), kWrong},
      {"SixteenBitsForAPing", bytes_of({.opcode = kPing, .payload = "a", .length_bits = 16}),
       kWrong},
      {"LengthWithItsTopBit", announce(kText, 1ULL << 63U), "close(1009)"},
      {"LengthOfAllBits", announce(kText, ~0ULL), "close(1009)"},
      {"LengthsWhoseSumHasTheTopBit", text("{", false) + announce(kContinuation, ~0ULL >> 1U),
       "close(1009)"},
      {"EmptyText", text(""), "error:bad-json bye:error close(4400)"},
      {"EmptyBinary", bytes_of({.opcode = kBinary}), "error:bad-json bye:error close(4400)"},
      {"LargestMessage", text(start_of(kMessageBytes)), kReady},
      {"LargestMessageInFragments", in_fragments(start_of(kMessageBytes), 1000), kReady},
      {"TooLargeMessage", text(start_of(kMessageBytes + 1)), kTooLarge},
      {"TooLargeMessageInFragments", in_fragments(start_of(kMessageBytes + 1), 1000), kTooLarge},
      {"TooLargeMessageWithoutEnd",
       announce(kText, 1ULL << 40U) + std::string(kMessageBytes + 1, '\x12'), kTooLarge},
  };
  for (const int bits : {1, 2, 4, 7}) {
    const std::string name = std::to_string(bits);
    rows.push_back(
        {"ReservedBits" + name, bytes_of({.payload = kStart, .reserved = bits}), kWrong});
    rows.push_back(
        {"ReservedBitsOfAPing" + name, bytes_of({.opcode = kPing, .reserved = bits}), kWrong});
  }
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    rows.push_back(
        {"Opcode" + std::to_string(opcode), bytes_of({.opcode = opcode, .payload = "x"}), kWrong});
  }
  return rows;
}

std::vector<Row> utf8() {
  const std::string euro = "\xE2\x82\xAC";
  const auto cut = [](const std::string& message, std::size_t from_end) {
    const std::size_t at = message.size() - 2 - from_end;
    return text(message.substr(0, at), false) + more(message.substr(at));
  };
  std::vector<Row> rows{
      {"CharacterAcrossFragments", cut(start_with(euro), 1), kReady},
      {"CharacterInThreeFragments",
       text(start_with("\xE2").substr(0, start_with("\xE2").size() - 2), false) +
           more("\x82", false) + more("\xAC\"}"),
       kReady},
      {"LargestCharacter", text(start_with("\xF4\x8F\xBF\xBF")), kReady},
      {"NotUtf8WithinAFragment", text(start_with("\xFF")), kBadUtf8},
      {"NotUtf8AcrossFragments", text("{\"x\":\"\xE2\x82", false) + more("x\"}"), kBadUtf8},
      {"CutOffAtTheEnd", text("{\"x\":\"\xE2\x82"), kBadUtf8},
      {"CutOffAtTheEndOfTheLastFragment", text("{\"x\":\"\xE2", false) + more("\x82"), kBadUtf8},
      {"NotUtf8InAMessageWithoutEnd", text("{\"x\":\"\xFF", false), kBadUtf8},
  };
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"Surrogate", "\xED\xA0\x80"},         {"OverlongNul", "\xC0\x80"},
      {"OverlongSlash", "\xE0\x80\xAF"},     {"BeyondUnicode", "\xF4\x90\x80\x80"},
      {"FiveBytes", "\xF8\x88\x80\x80\x80"}, {"ContinuationAlone", "\x80"}};
  for (const auto& [name, bytes] : wrong) {
    rows.push_back({name, text(start_with(bytes)), kBadUtf8});
  }
  return rows;
}

class WebsocketConformance : public ::testing::TestWithParam<Row> {};

TEST_P(WebsocketConformance, AnswersAsTheRfcRequires) {
  const DaemonProcess daemon({"--journal-path", "none"});
  TestClient bystander = start_stream(daemon.port());
  RawWebsocket socket(daemon.port());
  socket.send(GetParam().bytes + close(1000));
  EXPECT_EQ(socket.rest(), GetParam().ends);
  EXPECT_EQ(translate(bystander, 1, "Weiter."), "WEITER.");
}

const auto kName = [](const auto& given) { return given.param.name; };
INSTANTIATE_TEST_SUITE_P(Fragmentation, WebsocketConformance, ::testing::ValuesIn(fragmentation()),
                         kName);
INSTANTIATE_TEST_SUITE_P(ControlFrames, WebsocketConformance, ::testing::ValuesIn(control_frames()),
                         kName);
INSTANTIATE_TEST_SUITE_P(FrameHeads, WebsocketConformance, ::testing::ValuesIn(frame_heads()),
                         kName);
INSTANTIATE_TEST_SUITE_P(Utf8, WebsocketConformance, ::testing::ValuesIn(utf8()), kName);

TEST(WebsocketTransport, BytesMayArriveOneByOne) {
  const DaemonProcess daemon({"--journal-path", "none"});
  RawWebsocket socket(daemon.port());
  const std::string bytes =
      text(kStart.substr(0, 9), false) + ping("hi") + more(kStart.substr(9)) + close(1000);
  for (const char byte : bytes) {
    socket.send({&byte, 1});
  }
  EXPECT_EQ(socket.rest(), "pong(hi) ready close(1000)");
}

TEST(WebsocketTransport, EndOfAConnectionEndsItsStreamWithoutAHandshake) {
  const DaemonProcess daemon({"--journal-path", "none"});
  RawWebsocket socket(daemon.port());
  socket.send(text(kStart));
  socket.shut_down_sending();
  EXPECT_EQ(socket.rest(), "ready");
  EXPECT_EQ(metric(daemon.port(), "surtitle_streams"), 0);
}

TEST(WebsocketTransport, ClientThatDoesNotAnswerACloseIsCut) {
  const DaemonProcess daemon({"--journal-path", "none"});
  RawWebsocket socket(daemon.port());
  socket.send(text("{"));
  EXPECT_EQ(socket.rest(/*answer_close=*/false), "error:bad-json bye:error close(4400)");
}

// --- the upgrade ---

RawWebsocket::Upgrade upgrade_with(const std::string& name, const std::string& value) {
  RawWebsocket::Upgrade upgrade;
  std::erase_if(upgrade.fields,
                [&](const std::string& field) { return field.starts_with(name + ":"); });
  if (!value.empty()) {
    upgrade.fields.push_back(name + ": " + value);
  }
  return upgrade;
}

std::string status(const DaemonProcess& daemon, const RawWebsocket::Upgrade& upgrade) {
  return RawWebsocket(daemon.port(), upgrade).answer().substr(9, 3);
}

TEST(WebsocketUpgrade, AnswersTheKey) {
  const DaemonProcess daemon({"--journal-path", "none"});
  EXPECT_THAT(RawWebsocket(daemon.port()).answer(),
              HasSubstr("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
}

TEST(WebsocketUpgrade, NamesTheSupportedVersion) {
  const DaemonProcess daemon({"--journal-path", "none"});
  for (const char* version : {"8", "12", "14", "0", "x", "13, 8"}) {
    const RawWebsocket refused(daemon.port(), upgrade_with("Sec-WebSocket-Version", version));
    EXPECT_THAT(refused.answer(), StartsWith("HTTP/1.1 426 ")) << version;
    EXPECT_THAT(refused.answer(), HasSubstr("\r\nSec-WebSocket-Version: 13\r\n")) << version;
  }
}

TEST(WebsocketUpgrade, RequiresOneKeyOfSixteenBytes) {
  const DaemonProcess daemon({"--journal-path", "none"});
  for (const char* key :
       {"", "abc", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===",
        "dGhlIHNhbXBsZSBub25jZ===", "dGhlIHNhbXBsZSBub25jZQAA", "dGhlIHNhbXBsZSBub25j Q=="}) {
    EXPECT_EQ(status(daemon, upgrade_with("Sec-WebSocket-Key", key)), "400") << key;
  }
  RawWebsocket::Upgrade twice;
  twice.fields.push_back("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
  EXPECT_EQ(status(daemon, twice), "400");
  EXPECT_EQ(status(daemon, upgrade_with("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")), "101");
}

TEST(WebsocketUpgrade, RequiresAGetOfHttp11WithItsFields) {
  const DaemonProcess daemon({"--journal-path", "none"});
  EXPECT_EQ(status(daemon, {.method = "POST"}), "405");
  EXPECT_EQ(status(daemon, {.version = "HTTP/1.0"}), "426");
  EXPECT_EQ(status(daemon, upgrade_with("Upgrade", "")), "426");
  EXPECT_EQ(status(daemon, upgrade_with("Upgrade", "h2c")), "426");
  EXPECT_EQ(status(daemon, upgrade_with("Connection", "")), "426");
  EXPECT_EQ(status(daemon, upgrade_with("Host", "")), "400");
  EXPECT_EQ(status(daemon, upgrade_with("Upgrade", "WebSocket")), "101");
  EXPECT_EQ(status(daemon, upgrade_with("Connection", "keep-alive, upgrade")), "101");
}

TEST(WebsocketUpgrade, SelectsASupportedSubprotocol) {
  const DaemonProcess daemon({"--journal-path", "none"});
  for (const char* offer : {"surtitle.v1", "other, surtitle.v1"}) {
    EXPECT_THAT(RawWebsocket(daemon.port(), upgrade_with("Sec-WebSocket-Protocol", offer)).answer(),
                HasSubstr("\r\nSec-WebSocket-Protocol: surtitle.v1\r\n"));
  }
  for (const char* offer : {"", "other", "surtitle.v2"}) {
    const RawWebsocket socket(daemon.port(), upgrade_with("Sec-WebSocket-Protocol", offer));
    EXPECT_TRUE(socket.is_open()) << offer;
    EXPECT_THAT(socket.answer(), Not(HasSubstr("Sec-WebSocket-Protocol"))) << offer;
  }
}

TEST(WebsocketUpgrade, AcceptsNoExtension) {
  const DaemonProcess daemon({"--journal-path", "none"});
  RawWebsocket socket(daemon.port(), upgrade_with("Sec-WebSocket-Extensions",
                                                  "permessage-deflate; client_max_window_bits"));
  EXPECT_TRUE(socket.is_open());
  EXPECT_THAT(socket.answer(), Not(HasSubstr("Sec-WebSocket-Extensions")));
  socket.send(bytes_of({.payload = std::string("\x4A\x4C\x04\x00", 4), .reserved = 4}));
  EXPECT_EQ(socket.rest(), kWrong);
}

TEST(WebsocketUpgrade, RejectsFramesBeforeItsAnswer) {
  const DaemonProcess daemon({"--journal-path", "none"});
  const RawWebsocket socket(daemon.port(), RawWebsocket::Upgrade(), text(kStart));
  EXPECT_THAT(socket.answer(), StartsWith("HTTP/1.1 400 "));
}

}  // namespace
}  // namespace surtitle
