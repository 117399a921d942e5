#include "daemon/evaluation/attention_run.h"

#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "daemon/base/json_writer.h"
#include "daemon/evaluation/text_model.h"
#include "model/engine/offline.h"
#include "model/engine/translator.h"
#include "model/util/processors.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

std::vector<int> tokens_of(const Tokenizer& tokenizer, const std::string& text,
                           const std::string& name) {
  if (!is_valid_utf8(text)) throw std::runtime_error(name + " is not UTF-8");
  std::vector<int> tokens = tokenize_sentence(tokenizer, text, name).tokens;
  if (tokens.empty()) throw std::runtime_error(name + " is empty");
  return tokens;
}

OfflineTranslation translate(const AttentionRequest& request, const TextModel& model) {
  const auto translator = load_translator(
      request.model,
      {.device = "cpu", .precision = "float32", .threads = request.threads, .max_sentences = 1});
  return translate_offline(std::span(&translator, 1), model.package.tokenizers,
                           std::span(&request.source, 1), model.policy)
      .front();
}

std::vector<std::string> pieces(const Tokenizer& tokenizer, const std::vector<int>& tokens) {
  std::vector<std::string> texts;
  texts.reserve(tokens.size() + 1);
  for (const int token : tokens) texts.emplace_back(tokenizer.piece(token));
  texts.emplace_back("</s>");
  return texts;
}

// Returns row `row` of `values`, which has rows of `size` values.
template <typename Value>
std::span<const Value> row_of(const std::vector<Value>& values, int row, int size) {
  return std::span(values).subspan(static_cast<std::size_t>(row) * static_cast<std::size_t>(size),
                                   static_cast<std::size_t>(size));
}

std::vector<int> counting(int first, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::string integers(std::span<const int> numbers) {
  return json_array(numbers, [](int number) { return std::to_string(number); });
}

// [heads, T, S]
std::string attention_json(const ForcedSentence& forced, int layer) {
  const auto step = [&](int row) {
    return json_array(row_of(forced.attention, row, forced.source));
  };
  const auto head = [&](int index) {
    const int first = (layer * forced.heads + index) * forced.target;
    return json_array(counting(first, forced.target), step);
  };
  return json_array(counting(0, forced.heads), head);
}

std::string layer_json(const AttentionRun& run, int layer) {
  const ForcedSentence& forced = run.forced;
  const auto index = static_cast<std::size_t>(layer);
  JsonWriter json;
  json.field("type", run.types[index]);
  json.raw_field("attention", attention_json(forced, layer));
  json.raw_field("visible", integers(row_of(forced.visible, layer, forced.target)));
  if (run.aligned[static_cast<std::size_t>(layer)]) {
    json.raw_field("p", json_array(row_of(forced.p, layer, forced.target)));
  }
  const ForcedControl& control = forced.controls[index];
  if (!control.values.empty()) json.raw_field(control.name, json_array(control.values));
  return json.finish();
}

}  // namespace

AttentionRun attend(const AttentionRequest& request) {
  const TextModel model = open_forced_model(request.model, request.policy);
  const Tokenizers& tokenizers = model.package.tokenizers;
  ForcedText text;
  AttentionRun run;
  text.source = tokens_of(*tokenizers.source, request.source, "the sentence");
  run.source_text = request.source;
  if (request.target) {
    text.target = tokens_of(*tokenizers.target, *request.target, "the target");
    run.target_text = *request.target;
  } else {
    OfflineTranslation translation = translate(request, model);
    text.target = std::move(translation.tokens);
    run.target_text = std::move(translation.text);
  }
  const PackageDescription& description = model.package.description;
  run.model = description.name;
  run.policy = model.policy->spec();
  run.trained_for_policy = model.trained_for_policy;
  run.source = pieces(*tokenizers.source, text.source);
  run.target = pieces(*tokenizers.target, text.target);
  TeacherForcing pass(model.package, {.threads = thread_count(request.threads),
                                      .sentences = 1,
                                      .source_tokens = static_cast<int>(text.source.size()),
                                      .target_tokens = static_cast<int>(text.target.size())});
  run.forced = pass.run(std::span(&text, 1), *model.policy).front();
  for (int layer = 0; layer < run.forced.layers; ++layer) {
    const CrossAttention& attention = description.architecture.cross_attention_of(layer);
    run.types.push_back(to_yaml(CrossAttentions{attention}));
    // For a layer without positions, p is the target index. Predicted positions begin above 0,
    // except those of monotonic heads, which may stop at the first token.
    run.aligned.push_back(std::holds_alternative<MmaOptions>(attention) ||
                          row_of(run.forced.p, layer, run.forced.target).front() > 0);
  }
  return run;
}

std::string to_json(const AttentionRun& run) {
  JsonWriter json;
  json.field("model", run.model).field("policy", run.policy);
  json.field("trained_for_policy", run.trained_for_policy);
  json.field("source_text", run.source_text).field("target_text", run.target_text);
  json.raw_field("source", json_array(run.source, json_string));
  json.raw_field("target", json_array(run.target, json_string));
  json.raw_field("reads", integers(run.forced.reads));
  json.raw_field("layers", json_array(counting(0, run.forced.layers),
                                      [&](int layer) { return layer_json(run, layer); }));
  return json.finish();
}

}  // namespace surtitle
