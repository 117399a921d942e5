#include "daemon/recognisers/registry.h"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "daemon/base/json_parse.h"
#include "daemon/base/json_repair.h"
#include "daemon/recognisers/text_decoder.h"

namespace surtitle {
namespace {

constexpr std::array<RecogniserFormat, 21> kFormats{{
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
    {"sherpa-onnx", "sherpa-onnx' streaming servers and its programs for a terminal",
     make_sherpa_onnx, sniff_sherpa_onnx_text, sniff_sherpa_onnx, SourceForm::kDetected},
    {"pocketsphinx", "output of pocketsphinx_continuous and pocketsphinx live", make_pocketsphinx,
     sniff_pocketsphinx_text, sniff_pocketsphinx, SourceForm::kSpoken},
    {"google", "StreamingRecognizeResponse of Google Speech-to-Text as JSON", make_google, nullptr,
     sniff_google, SourceForm::kDetected},
    {"deepgram", "messages of Deepgram's /v1/listen", make_deepgram, nullptr, sniff_deepgram,
     SourceForm::kDetected},
    {"assemblyai", "messages of AssemblyAI's streaming API v3", make_assemblyai, nullptr,
     sniff_assemblyai, SourceForm::kDetected},
    {"subtitles", "a file of subtitles, SRT or WebVTT", make_subtitles, sniff_subtitles, nullptr},
    {"whisperlivekit", "messages of WhisperLiveKit's /asr, in full and diff mode",
     make_whisperlivekit, nullptr, sniff_whisperlivekit},
    {"whisper-live", "messages of WhisperLive's server", make_whisper_live, nullptr,
     sniff_whisper_live},
    {"openai-realtime", "events of OpenAI's realtime API, also of Speaches", make_openai_realtime,
     nullptr, sniff_openai_realtime},
    {"azure", "results of Azure Speech as JSON", make_azure, nullptr, sniff_azure,
     SourceForm::kDetected},
    {"aws-transcribe", "TranscriptEvent of Amazon Transcribe as JSON", make_aws_transcribe, nullptr,
     sniff_aws_transcribe, SourceForm::kDetected},
    {"speechmatics", "messages of Speechmatics' real-time API", make_speechmatics, nullptr,
     sniff_speechmatics, SourceForm::kDetected},
    {"gladia", "messages of Gladia's live API v2", make_gladia, nullptr, sniff_gladia,
     SourceForm::kDetected},
    {"auto", "the format is recognised by the first line or JSON object", make_autodetect, nullptr,
     nullptr},
}};

// Decodes the bytes before a format reads them.
class DecodedRecogniser : public Recogniser {
 public:
  DecodedRecogniser(RecogniserSettings settings, std::unique_ptr<Recogniser> recogniser)
      : settings_(std::move(settings)),
        decoder_(settings_.input),
        recogniser_(std::move(recogniser)) {}

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
    if (decoder_.converted() && !std::exchange(reported_, true)) {
      settings_.on_hint(settings_.input + " is not UTF-8 and is read as Windows-1252");
    }
    recogniser_->feed(text);
  }

  const RecogniserSettings settings_;
  TextDecoder decoder_;
  bool reported_ = false;  // that the text is converted
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

std::unique_ptr<Recogniser> open_recognised_format(const RecogniserFormat& format,
                                                   const RecogniserSettings& settings,
                                                   MessageBuilder& builder) {
  settings.on_hint(settings.input + " was recognised as " + std::string(format.name) +
                   "; --format overrides this");
  return open_format(format, settings, builder);
}

JsonFormat recognise_json(const boost::json::object& message, int lines) {
  JsonFormat result;
  for (const RecogniserFormat& format : kFormats) {
    const Match match =
        format.sniff_json == nullptr ? Match::kNo : format.sniff_json(message, lines);
    if (match == Match::kYes) {
      return {&format, false};
    }
    result.undecided = result.undecided || match == Match::kUndecided;
  }
  return result;
}

const RecogniserFormat* recognise_json(const std::string& json) {
  boost::system::error_code failure;
  boost::json::value value = parse_lenient_json(repair_json(json), failure);
  if (const boost::json::string* quoted = value.if_string()) {
    value = parse_lenient_json(repair_json(*quoted), failure);
    value = value.is_object() ? value : boost::json::value();
  }
  const boost::json::array* array = value.if_array();
  const boost::json::value& first = array != nullptr && !array->empty() ? array->front() : value;
  const boost::json::object* object = first.if_object();
  const auto lines = std::count(json.begin(), json.end(), '\n') + 1;
  return object == nullptr ? nullptr : recognise_json(*object, static_cast<int>(lines)).format;
}

std::unique_ptr<Recogniser> make_recogniser(const RecogniserFormat& format,
                                            const RecogniserSettings& settings,
                                            MessageBuilder& builder) {
  return std::make_unique<DecodedRecogniser>(settings, open_format(format, settings, builder));
}

}  // namespace surtitle
