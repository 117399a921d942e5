#include "daemon/recognisers/registry.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace surtitle {
namespace {

constexpr std::array<RecogniserFormat, 13> kFormats{{
    {"text", "plain words; a blank line ends the sentence", make_text, nullptr, nullptr},
    {"jsonl", R"(lines of {"text", "time"} for words, {"text", "final"} for hypotheses)",
     make_json_lines, nullptr, sniff_json_lines},
    {"vosk", "results of Vosk and vosk-server", make_vosk, nullptr, sniff_vosk},
    {"whisper-streaming", "lines EMITTED BEGIN END TEXT of whisper_streaming",
     make_whisper_streaming, sniff_whisper_streaming, nullptr},
    {"whisper-streaming-server", "lines BEGIN END TEXT of the server of whisper_streaming",
     make_whisper_streaming_server, sniff_whisper_streaming_server, nullptr},
    {"simulstreaming", "JSON lines of SimulStreaming", make_simulstreaming, nullptr,
     sniff_simulstreaming},
    {"whisper-cpp", "output of whisper.cpp's stream, with or without --step 0", make_whisper_cpp,
     sniff_whisper_cpp, nullptr},
    {"sherpa-onnx", "messages of sherpa-onnx' streaming servers", make_sherpa_onnx, nullptr,
     sniff_sherpa_onnx},
    {"pocketsphinx", "output of pocketsphinx_continuous and pocketsphinx live", make_pocketsphinx,
     nullptr, sniff_pocketsphinx},
    {"google", "StreamingRecognizeResponse of Google Speech-to-Text as JSON", make_google, nullptr,
     sniff_google},
    {"deepgram", "messages of Deepgram's /v1/listen", make_deepgram, nullptr, sniff_deepgram},
    {"assemblyai", "messages of AssemblyAI's streaming API v3", make_assemblyai, nullptr,
     sniff_assemblyai},
    {"auto", "the format is recognised by the first line or JSON object", make_autodetect, nullptr,
     nullptr},
}};

// Removes the byte order mark. Keeps the first bytes while they may be a part of it.
class WithoutByteOrderMark : public Recogniser {
 public:
  explicit WithoutByteOrderMark(std::unique_ptr<Recogniser> recogniser)
      : recogniser_(std::move(recogniser)) {}

  void feed(std::string_view bytes) override {
    if (begun_) {
      recogniser_->feed(bytes);
      return;
    }
    begin_ += bytes;
    if (begin_.size() >= kMark.size() || !kMark.starts_with(begin_)) {
      let_through();
    }
  }

  void pause() override { recogniser_->pause(); }

  void finish() override {
    if (!begun_) {
      let_through();
    }
    recogniser_->finish();
  }

 private:
  static constexpr std::string_view kMark = "\xEF\xBB\xBF";

  void let_through() {
    begun_ = true;
    const std::string begin = std::exchange(begin_, {});
    recogniser_->feed(std::string_view(begin).substr(begin.starts_with(kMark) ? kMark.size() : 0));
  }

  const std::unique_ptr<Recogniser> recogniser_;
  std::string begin_;  // first bytes, while they may be a part of the mark
  bool begun_ = false;
};

}  // namespace

std::span<const RecogniserFormat> recogniser_formats() { return kFormats; }

const RecogniserFormat* recogniser_format_by_name(std::string_view name) {
  const auto* format =
      std::find_if(kFormats.begin(), kFormats.end(),
                   [&](const RecogniserFormat& candidate) { return candidate.name == name; });
  return format == kFormats.end() ? nullptr : format;
}

std::unique_ptr<Recogniser> make_recogniser(const RecogniserFormat& format,
                                            const RecogniserSettings& settings,
                                            MessageBuilder& builder) {
  return std::make_unique<WithoutByteOrderMark>(format.make(settings, builder));
}

}  // namespace surtitle
