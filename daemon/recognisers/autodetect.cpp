// The format that the first line or JSON object is of, found out once. Until then nothing is heard
// and all is kept; then the format has it from the first byte on. Bytes that begin like no format
// are plain words, at once; a line of columns is told by its columns, a JSON object when it is
// complete, or by the next one where it could be of several formats.
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

  // By the bytes kept so far; null while it cannot be told.
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

  // With the last of the bytes kept, the only one that is new.
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
                               " is of no format that is known; --format names those there are");
    }
    return nullptr;
  }

  void choose(const RecogniserFormat& format) {
    settings_.on_notice(settings_.input + " is taken for " + std::string(format.name) +
                        "; --format names another");
    chosen_ = format.make(settings_, builder_);
  }

  const RecogniserSettings settings_;
  MessageBuilder& builder_;
  std::string kept_;       // all so far, while undecided
  std::size_t begin_ = 0;  // of kept_, behind padding
  JsonValues values_;
  std::unique_ptr<Recogniser> chosen_;
};

}  // namespace

std::unique_ptr<Recogniser> make_autodetect(const RecogniserSettings& settings,
                                            MessageBuilder& builder) {
  return std::make_unique<AutodetectRecogniser>(settings, builder);
}

}  // namespace surtitle
