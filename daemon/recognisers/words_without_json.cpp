// Plain words that may turn out to be the banner of a program, with a recogniser's JSON after them.
#include <utility>

#include "daemon/base/text.h"
#include "daemon/recognisers/json_in_text.h"
#include "daemon/recognisers/registry.h"
#include "daemon/recognisers/skipped_input.h"

namespace surtitle {
namespace {

class WordsWithoutJson : public Recogniser {
 public:
  WordsWithoutJson(const RecogniserSettings& settings, MessageBuilder& builder)
      : settings_(settings),
        builder_(builder),
        skipped_(settings),
        current_(make_text(settings, builder)) {
    skipped_.on_readable();
  }

  void feed(std::string_view bytes) override {
    if (is_text_) {
      add(json_in_text_.feed(bytes));
    } else {
      current_->feed(bytes);
    }
  }

  void pause() override { current_->pause(); }

  void finish() override {
    add(json_in_text_.finish());
    current_->finish();
    skipped_.finish();
  }

 private:
  void add(const std::vector<JsonInText::Piece>& pieces) {
    for (const JsonInText::Piece& piece : pieces) {
      if (!is_text_ || !piece.is_json) {
        current_->feed(piece.bytes);
      } else if (const RecogniserFormat* format = recognise_json(piece.bytes)) {
        begin(*format, piece.bytes);
      } else {
        skipped_.skip("JSON", settings_.input + ": JSON of no known format is not translated: " +
                                  in_quotes(piece.bytes));
      }
    }
    if (!is_text_) {
      for (const JsonInText::Piece& rest : json_in_text_.finish()) {
        current_->feed(rest.bytes);
      }
    }
  }

  void begin(const RecogniserFormat& format, const std::string& bytes) {
    current_->finish();
    is_text_ = false;
    current_ = open_recognised_format(format, settings_, builder_);
    current_->feed(bytes);
  }

  const RecogniserSettings settings_;
  MessageBuilder& builder_;
  SkippedInput skipped_;  // JSON of no known format
  JsonInText json_in_text_;
  bool is_text_ = true;  // no JSON of a known format has arrived
  std::unique_ptr<Recogniser> current_;
};

}  // namespace

std::unique_ptr<Recogniser> make_words_without_json(const RecogniserSettings& settings,
                                                    MessageBuilder& builder) {
  return std::make_unique<WordsWithoutJson>(settings, builder);
}

}  // namespace surtitle
