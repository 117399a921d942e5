#include "daemon/recognisers/registry.h"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "daemon/recognisers/text_decoder.h"

namespace surtitle {
namespace {

constexpr std::array<RecogniserFormat, 14> kFormats{{
    {"text", "plain words; a blank line ends the sentence", make_text, nullptr, nullptr},
    {"jsonl", R"(lines of {"text", "time"} for words, {"text", "final"} for hypotheses)",
     make_json_lines, nullptr, sniff_json_lines},
    {"vosk", "results of Vosk and vosk-server", make_vosk, nullptr, sniff_vosk,
     SourceForm::kSpoken},
    {"whisper-streaming", "lines EMITTED BEGIN END TEXT of whisper_streaming",
     make_whisper_streaming, sniff_whisper_streaming, nullptr},
    {"whisper-streaming-server", "lines BEGIN END TEXT of the server of whisper_streaming",
     make_whisper_streaming_server, sniff_whisper_streaming_server, nullptr},
    {"simulstreaming", "JSON lines of SimulStreaming", make_simulstreaming, nullptr,
     sniff_simulstreaming},
    {"whisper-cpp", "output of whisper.cpp's stream, with or without --step 0", make_whisper_cpp,
     sniff_whisper_cpp, nullptr},
    {"sherpa-onnx", "messages of sherpa-onnx' streaming servers", make_sherpa_onnx, nullptr,
     sniff_sherpa_onnx, SourceForm::kDetected},
    {"pocketsphinx", "output of pocketsphinx_continuous and pocketsphinx live", make_pocketsphinx,
     nullptr, sniff_pocketsphinx, SourceForm::kSpoken},
    {"google", "StreamingRecognizeResponse of Google Speech-to-Text as JSON", make_google, nullptr,
     sniff_google, SourceForm::kDetected},
    {"deepgram", "messages of Deepgram's /v1/listen", make_deepgram, nullptr, sniff_deepgram,
     SourceForm::kDetected},
    {"assemblyai", "messages of AssemblyAI's streaming API v3", make_assemblyai, nullptr,
     sniff_assemblyai, SourceForm::kDetected},
    {"subtitles", "a file of subtitles, SRT or WebVTT", make_subtitles, sniff_subtitles, nullptr},
    {"auto", "the format is recognised by the first line or JSON object", make_autodetect, nullptr,
     nullptr},
}};

// Decodes the bytes before a format reads them.
class DecodedRecogniser : public Recogniser {
 public:
  DecodedRecogniser(const std::string& input, std::unique_ptr<Recogniser> recogniser)
      : decoder_(input), recogniser_(std::move(recogniser)) {}

  void feed(std::string_view bytes) override {
    pass_on([&](std::string& text) { decoder_.feed(bytes, text); });
  }

  void pause() override {
    pass_on([&](std::string& text) { decoder_.release(text); });
    recogniser_->pause();
  }

  void finish() override {
    pass_on([&](std::string& text) { decoder_.finish(text); });
    recogniser_->finish();
  }

 private:
  // The text before bytes that are no text is passed on as well.
  void pass_on(const std::function<void(std::string&)>& decode) {
    std::string text;
    try {
      decode(text);
    } catch (const std::exception&) {
      recogniser_->feed(text);
      throw;
    }
    recogniser_->feed(text);
  }

  TextDecoder decoder_;
  const std::unique_ptr<Recogniser> recogniser_;
};

}  // namespace

std::span<const RecogniserFormat> recogniser_formats() { return kFormats; }

const RecogniserFormat* recogniser_format_by_name(std::string_view name) {
  const auto* format =
      std::find_if(kFormats.begin(), kFormats.end(),
                   [&](const RecogniserFormat& candidate) { return candidate.name == name; });
  return format == kFormats.end() ? nullptr : format;
}

std::unique_ptr<Recogniser> open_format(const RecogniserFormat& format,
                                        const RecogniserSettings& settings,
                                        MessageBuilder& builder) {
  if (format.source_form == SourceForm::kSpoken) {
    builder.source_form(TextForm::kSpoken);
  } else if (format.source_form == SourceForm::kDetected) {
    builder.detect_source_form();
  }
  return format.make(settings, builder);
}

std::unique_ptr<Recogniser> make_recogniser(const RecogniserFormat& format,
                                            const RecogniserSettings& settings,
                                            MessageBuilder& builder) {
  return std::make_unique<DecodedRecogniser>(settings.input,
                                             open_format(format, settings, builder));
}

}  // namespace surtitle
