#include "daemon/pipe/speech_protocol.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json/object.hpp>
#include <cstdint>
#include <cstring>
#include <utility>

#include "daemon/base/json_parse.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using Message = SpeechProtocol::Message;

// A message that is no JSON object gives an empty object.
json::object parse_object(std::string_view message) {
  boost::system::error_code failure;
  const json::value value = parse_lenient_json(message, failure);
  return value.is_object() ? value.get_object() : json::object();
}

bool is_text(const json::object& object, std::string_view key, std::string_view text) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() && value->get_string() == text;
}

// WhisperLiveKit's /asr. The server's first message is {"type": "config", "useAudioWorklet"}: true
// asks for the bare samples (--pcm-input), false for a file in any format of ffmpeg. An empty
// message ends the speech, and {"type": "ready_to_stop"} follows the last words.
class WhisperLiveKitSpeech : public SpeechProtocol {
 public:
  bool is_ready() const override { return ready_; }

  Message speech(std::string_view samples) override {
    return {std::exchange(header_, {}) + std::string(samples)};
  }

  Message end() override { return {}; }

  void receive(std::string_view text) override {
    const json::object message = parse_object(text);
    done_ = done_ || is_text(message, "type", "ready_to_stop");
    if (!ready_ && is_text(message, "type", "config")) {
      ready_ = true;
      const json::value* bare = message.if_contains("useAudioWorklet");
      header_ = bare != nullptr && bare->is_bool() && bare->get_bool() ? "" : wav_header();
    }
  }

  bool is_done() const override { return done_; }

 private:
  // Returns the header of a WAV file of unknown length.
  static std::string wav_header() {
    constexpr std::string_view kHeader(
        "RIFF\xff\xff\xff\xffWAVE"
        "fmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00"
        "data\xff\xff\xff\xff",
        44);
    return std::string(kHeader);
  }

  bool ready_ = false;
  bool done_ = false;
  std::string header_;  // to send before the first samples
};

// The servers of Vosk. Each binary message is answered by one text. The server in Python closes the
// connection after its answer to the end. The server in C++ takes the configuration for speech and
// answers it as well, and waits for the client to close. Both compare the end byte by byte.
class VoskSpeech : public SpeechProtocol {
 public:
  std::optional<Message> opening() const override {
    return Message{R"({"config" : {"sample_rate" : 16000, "words" : true}})", /*binary=*/false};
  }

  Message speech(std::string_view samples) override {
    ++sent_;
    piece_ = std::max(piece_, samples.size());
    return {std::string(samples)};
  }

  Message end() override {
    ended_ = true;
    return {R"({"eof" : 1})", /*binary=*/false};
  }

  void receive(std::string_view /*message*/) override { ++answers_; }

  bool is_done() const override { return ended_ && answers_ == sent_ + 2; }

  std::optional<std::size_t> covered() const override { return std::min(answers_, sent_) * piece_; }

 private:
  std::size_t sent_ = 0;     // messages of speech
  std::size_t answers_ = 0;  // messages of the server
  std::size_t piece_ = 0;    // bytes of each message but the last
  bool ended_ = false;
};

// sherpa-onnx' streaming servers: samples are 32-bit floating-point numbers from -1 to 1. "Done"
// ends the speech. The server in C++ sends "Done!" after the last words, the one in Python closes
// the connection.
class SherpaOnnxSpeech : public SpeechProtocol {
 public:
  Message speech(std::string_view samples) override {
    std::string numbers;
    numbers.reserve(samples.size() * 2);
    for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
      const auto bits = static_cast<std::uint16_t>(static_cast<unsigned char>(samples[i]) |
                                                   static_cast<unsigned char>(samples[i + 1]) << 8);
      append(static_cast<float>(std::bit_cast<std::int16_t>(bits)) / 32768, numbers);
    }
    return {std::move(numbers)};
  }

  Message end() override { return {"Done", /*binary=*/false}; }

  void receive(std::string_view message) override { done_ = done_ || message == "Done!"; }

  bool is_done() const override { return done_; }

 private:
  static void append(float number, std::string& bytes) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    for (int shift = 0; shift < 32; shift += 8) {
      bytes += static_cast<char>(bits >> shift & 0xffU);
    }
  }

  bool done_ = false;
};

template <class Protocol>
std::unique_ptr<SpeechProtocol> make() {
  return std::make_unique<Protocol>();
}

constexpr std::array<SpeechProtocolRow, 3> kProtocols{{
    {"whisperlivekit", make<WhisperLiveKitSpeech>, "/asr", ""},
    {"vosk", make<VoskSpeech>, "", "2700"},
    {"sherpa-onnx", make<SherpaOnnxSpeech>, "", "6006"},
}};

template <class Fits>
const SpeechProtocolRow* find_row(const Fits& fits) {
  const auto* row = std::find_if(kProtocols.begin(), kProtocols.end(), fits);
  return row == kProtocols.end() ? nullptr : row;
}

}  // namespace

std::span<const SpeechProtocolRow> speech_protocols() { return kProtocols; }

const SpeechProtocolRow* speech_protocol_by_name(std::string_view name) {
  return find_row([&](const SpeechProtocolRow& row) { return row.name == name; });
}

const SpeechProtocolRow* speech_protocol_of(const WebSocketUrl& url) {
  return find_row([&](const SpeechProtocolRow& row) {
    return url.path.empty() ? row.port == url.port
                            : !row.path.empty() && url.path.ends_with(row.path);
  });
}

}  // namespace surtitle
