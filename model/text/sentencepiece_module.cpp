#include "model/text/sentencepiece_module.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace surtitle::sentencepiece_module {

struct Model {
  sentencepiece::SentencePieceProcessor processor;
  std::vector<std::string> pieces;  // by id, for Functions::piece
};

namespace {

void report(Error* error, std::string_view text) {
  const std::size_t length = std::min(text.size(), error->text.size() - 1);
  const auto end =
      std::replace_copy(text.begin(), text.begin() + length, error->text.begin(), '\n', ' ');
  *end = '\0';
}

// Runs `body`, which returns a bool or a pointer. Reports an exception as a failure.
template <typename Body>
auto guarded(Error* error, Body body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& caught) {
    report(error, caught.what());
  } catch (...) {
    report(error, "unknown failure in sentencepiece");
  }
  return {};
}

std::string shown_piece(const sentencepiece::SentencePieceProcessor& processor, int token) {
  if (processor.IsUnknown(token)) return "\u2581\u2047";
  if (processor.IsControl(token) || processor.IsUnused(token)) return "";
  return processor.IdToPiece(token);
}

Model* open_model(Bytes serialised, Error* error) noexcept {
  return guarded(error, [&]() -> Model* {
    auto model = std::make_unique<Model>();
    const auto status = model->processor.LoadFromSerializedProto(
        absl::string_view(serialised.data, serialised.size));
    if (!status.ok()) {
      report(error, status.error_message());
      return nullptr;
    }
    for (int token = 0; token < model->processor.GetPieceSize(); ++token) {
      model->pieces.push_back(shown_piece(model->processor, token));
    }
    return model.release();
  });
}

void close_model(Model* model) noexcept { delete model; }

int model_size(const Model* model) noexcept { return static_cast<int>(model->pieces.size()); }

Bytes piece(const Model* model, int token) noexcept {
  const std::string& text = model->pieces[static_cast<std::size_t>(token)];
  return {text.data(), text.size()};
}

std::ptrdiff_t encode(const Model* model, Bytes word, int* ids, std::size_t capacity) noexcept {
  try {
    std::vector<int> tokens;
    const auto status = model->processor.Encode(absl::string_view(word.data, word.size), &tokens);
    if (!status.ok()) return -1;
    std::copy_n(tokens.begin(), std::min(tokens.size(), capacity), ids);
    return static_cast<std::ptrdiff_t>(tokens.size());
  } catch (...) {
    return -1;
  }
}

bool segment(const Model* model, Bytes word, void (*receive)(void* context, Bytes piece) noexcept,
             void* context) noexcept {
  try {
    std::vector<std::string> pieces;
    if (!model->processor.Encode(absl::string_view(word.data, word.size), &pieces).ok())
      return false;
    for (const std::string& text : pieces) receive(context, {text.data(), text.size()});
    return true;
  } catch (...) {
    return false;
  }
}

int end_of_sentence(const Model* model) noexcept { return model->processor.eos_id(); }

class Sentences : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(const Training& training) : training_(training) { load(); }

  bool done() const override { return next_ == training_.sentence_count; }
  void Next() override {
    ++next_;
    load();
  }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void load() {
    if (done()) return;
    value_.assign(training_.sentences[next_].data, training_.sentences[next_].size);
  }

  const Training& training_;
  std::size_t next_ = 0;
  std::string value_;
};

bool train(const Training* training, Error* error) noexcept {
  return guarded(error, [&] {
    // Floats are summed in an order that depends on the number of threads. A fixed number makes the
    // same text give the same model on every machine.
    const std::unordered_map<std::string, std::string> options = {
        {"model_type", "unigram"},
        {"vocab_size", std::to_string(training->vocabulary_size)},
        {"character_coverage", "0.9999"},
        {"required_chars", training->required_characters},
        {"split_digits", "true"},
        {"bos_id", std::to_string(training->bos)},
        {"pad_id", std::to_string(training->pad)},
        {"eos_id", std::to_string(training->eos)},
        {"unk_id", std::to_string(training->unk)},
        {"normalization_rule_tsv", training->normalisation_rules},
        {"max_sentence_length", "16384"},
        {"num_threads", "4"},
        {"minloglevel", "2"},
    };
    Sentences sentences(*training);
    std::string serialised;
    const auto status =
        sentencepiece::SentencePieceTrainer::Train(options, &sentences, &serialised);
    if (!status.ok()) {
      report(error, status.error_message());
      return false;
    }
    training->receive(training->context, {serialised.data(), serialised.size()});
    return true;
  });
}

}  // namespace
}  // namespace surtitle::sentencepiece_module

extern "C" __attribute__((visibility("default"))) const surtitle::sentencepiece_module::Functions*
surtitle_sentencepiece_functions() {
  using namespace surtitle::sentencepiece_module;
  static const Functions functions = {kVersion, open_model, close_model,     model_size, piece,
                                      encode,   segment,    end_of_sentence, train};
  return &functions;
}
