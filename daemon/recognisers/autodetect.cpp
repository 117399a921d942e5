// Recognises the format by the first line or JSON object. Until then all bytes are kept; the chosen
// parser receives them from the first byte on. A line of columns is recognised by its columns, a
// JSON object when it is complete, or by a later object if it fits several formats. Bytes that fit
// no format are plain words.
#include <stdexcept>

#include "daemon/recognisers/json_values.h"
#include "daemon/recognisers/registry.h"

namespace surtitle {
namespace {

constexpr std::size_t kMaxUndecided = std::size_t{1} << 20U;

bool is_padding(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0'; }

class AutodetectRecogniser : public Recogniser {
 public:
  AutodetectRecogniser(const RecogniserSettings& settings, MessageBuilder& builder)
      : settings_(settings), builder_(builder), values_(settings.input) {}

  void feed(std::string_view bytes) override {
    if (chosen_) {
      chosen_->feed(bytes);
      return;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      kept_ += bytes[i];
      if (const RecogniserFormat* format = decide()) {
        choose(*format);
        const std::string kept = std::exchange(kept_, {});
        chosen_->feed(kept + std::string(bytes.substr(i + 1)));
        return;
      }
    }
  }

  void pause() override {
    if (chosen_) {
      chosen_->pause();
    }
  }

  void finish() override {
    if (!chosen_ && !is_blank()) {
      choose(*recogniser_format_by_name(kept_[begin_] == '{' ? "jsonl" : "text"));
      chosen_->feed(std::exchange(kept_, {}));
    }
    if (chosen_) {
      chosen_->finish();
    }
  }

 private:
  bool is_blank() const { return begin_ == kept_.size(); }

  // Returns the format of the bytes kept so far, or nullptr if it is undecided.
  const RecogniserFormat* decide() {
    if (is_blank_so_far()) {
      return nullptr;
    }
    if (kept_.size() > kMaxUndecided) {
      return recogniser_format_by_name("text");
    }
    return kept_[begin_] == '{' ? decide_by_object() : decide_by_bytes();
  }

  bool is_blank_so_far() {
    if (begin_ + 1 == kept_.size() && is_padding(kept_[begin_])) {
      std::string_view padding = std::string_view(kept_).substr(begin_++);
      values_.next(padding);  // counts the lines
    }
    return is_blank();
  }

  const RecogniserFormat* decide_by_bytes() const {
    const std::string_view begin = std::string_view(kept_).substr(begin_);
    bool undecided = false;
    for (const RecogniserFormat& format : recogniser_formats()) {
      const Match match = format.sniff_text == nullptr ? Match::kNo : format.sniff_text(begin);
      if (match == Match::kYes) {
        return &format;
      }
      undecided = undecided || match == Match::kUndecided;
    }
    return undecided ? nullptr : recogniser_format_by_name("text");
  }

  // Parses the last of the kept bytes, the only new one.
  const RecogniserFormat* decide_by_object() {
    std::string_view last = std::string_view(kept_).substr(kept_.size() - 1);
    const std::optional<boost::json::object> message = values_.next(last);
    if (!message) {
      return nullptr;
    }
    bool undecided = false;
    for (const RecogniserFormat& format : recogniser_formats()) {
      const Match match =
          format.sniff_json == nullptr ? Match::kNo : format.sniff_json(*message, values_.lines());
      if (match == Match::kYes) {
        return &format;
      }
      undecided = undecided || match == Match::kUndecided;
    }
    if (!undecided) {
      throw std::runtime_error(values_.where() +
                               " has an unknown format; surtitle pipe --help lists the formats");
    }
    return nullptr;
  }

  void choose(const RecogniserFormat& format) {
    settings_.on_notice(settings_.input + " was recognised as " + std::string(format.name) +
                        "; --format overrides this");
    chosen_ = format.make(settings_, builder_);
  }

  const RecogniserSettings settings_;
  MessageBuilder& builder_;
  std::string kept_;       // all bytes, while the format is undecided
  std::size_t begin_ = 0;  // of the text in kept_, after padding
  JsonValues values_;
  std::unique_ptr<Recogniser> chosen_;
};

}  // namespace

std::unique_ptr<Recogniser> make_autodetect(const RecogniserSettings& settings,
                                            MessageBuilder& builder) {
  return std::make_unique<AutodetectRecogniser>(settings, builder);
}

}  // namespace surtitle
