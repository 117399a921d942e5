// sherpa-onnx' streaming WebSocket servers.
//   C++:    {"text", "tokens", "timestamps", ..., "segment", "start_time", "is_final", "is_eof"}
//     is_final: an endpoint; the next text starts again from empty, maybe in the same segment.
//     is_eof: all samples are processed. Timestamps are seconds from start_time. The last message
//     is "Done!", which is not JSON. In texts, only " and \ are escaped.
//   Python: {"text", "segment"}     final when the next segment begins
// "text" is the current version of the whole segment. The programs for a terminal print other lines
// (sherpa_onnx_terminal.cpp); the first line of either kind decides.
#include <utility>

#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

class SherpaOnnxServer : public JsonRecogniser {
 public:
  SherpaOnnxServer(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "sherpa-onnx") {}

 private:
  void on_message(JsonFields& message) override {
    const std::string text = message.optional_text("text").value_or("");
    const std::int64_t segment = message.optional_whole_number("segment").value_or(segment_);
    const bool is_final = message.optional_flag("is_final").value_or(false) ||
                          message.optional_flag("is_eof").value_or(false);
    const std::optional<double> time = end_of(message);
    if (!message.contains("text")) {
      skip("the message must have the field text");
    }
    if (message.error() || !message.contains("text")) {
      return;
    }
    if (segment != segment_) {
      builder().finalize();
      segment_ = segment;
    }
    if (is_final) {
      builder().final_text(text, time);
    } else {
      builder().hypothesis(text, time);
    }
  }

  static std::optional<double> end_of(JsonFields& message) {
    const std::optional<double> start = message.optional_number("start_time");
    const std::vector<double> times = message.numbers("timestamps");
    return start && !times.empty()
               ? std::optional(MessageBuilder::round_to_milliseconds(*start + times.back()))
               : std::nullopt;
  }

  std::int64_t segment_ = 0;
};

constexpr std::size_t kMaxUndecided = std::size_t{1} << 20U;

class SherpaOnnx : public Recogniser {
 public:
  SherpaOnnx(const RecogniserSettings& settings, MessageBuilder& builder)
      : settings_(settings), builder_(builder) {}

  void feed(std::string_view bytes) override {
    for (; !chosen_ && !bytes.empty(); bytes.remove_prefix(1)) {
      kept_ += bytes.front();
      line_ =
          bytes.front() == '\n' || bytes.front() == '\r' ? std::string() : line_ + bytes.front();
      if (bytes.front() == '{' || kept_.size() > kMaxUndecided) {
        choose(std::make_unique<SherpaOnnxServer>(settings_, builder_));
      } else if (is_sherpa_onnx_line(line_)) {
        choose(make_sherpa_onnx_terminal(settings_, builder_));
      }
    }
    if (chosen_) {
      chosen_->feed(bytes);
    }
  }

  void pause() override {
    if (chosen_) {
      chosen_->pause();
    }
  }

  void finish() override {
    if (!chosen_) {
      choose(std::make_unique<SherpaOnnxServer>(settings_, builder_));
    }
    chosen_->finish();
  }

 private:
  void choose(std::unique_ptr<Recogniser> recogniser) {
    chosen_ = std::move(recogniser);
    chosen_->feed(std::exchange(kept_, {}));
  }

  const RecogniserSettings settings_;
  MessageBuilder& builder_;
  std::string kept_;  // all bytes, until one of the two is chosen
  std::string line_;  // the last line of kept_
  std::unique_ptr<Recogniser> chosen_;
};

}  // namespace

std::unique_ptr<Recogniser> make_sherpa_onnx(const RecogniserSettings& settings,
                                             MessageBuilder& builder) {
  return std::make_unique<SherpaOnnx>(settings, builder);
}

Match sniff_sherpa_onnx(const boost::json::object& message, int /*lines*/) {
  return message.contains("text") && message.contains("segment") ? Match::kYes : Match::kNo;
}

}  // namespace surtitle
