// convert_transformers(): models of Hugging Face's class MarianMTModel.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <stdexcept>

#include "model/import/converted_model.h"
#include "model/package/safetensors_header.h"
#include "model/text/tokenizer.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr int kMaxSize = 16384;

// Reads the fields of a JSON object; messages name the file, the field and its value.
class JsonFields {
 public:
  JsonFields(const ModelFiles& files, const std::string& name) : label_(files.describe(name)) {
    boost::system::error_code error;
    json::value document = json::parse(files.read(name, kMaxTextBytes), error);
    if (error || !document.is_object())
      throw std::runtime_error(printable(label_) + ": expected a JSON object");
    fields_ = std::move(document.as_object());
  }

  [[noreturn]] void unsupported(const std::string& field, const std::string& supported) const {
    const json::value* value = fields_.if_contains(field);
    throw std::runtime_error(printable(label_ + ": '" + field + "' is " +
                                       (value != nullptr ? json::serialize(*value) : "missing")) +
                             "; supported: " + supported);
  }
  std::string text(const std::string& field, const std::string& usual) const {
    const json::value* value = fields_.if_contains(field);
    if (value == nullptr || value->is_null()) return usual;
    if (!value->is_string()) unsupported(field, "a text");
    return std::string(value->as_string());
  }
  bool flag(const std::string& field, bool usual) const {
    const json::value* value = fields_.if_contains(field);
    if (value == nullptr || value->is_null()) return usual;
    if (!value->is_bool()) unsupported(field, "true, false");
    return value->as_bool();
  }
  void require_flag(const std::string& field, bool expected) const {
    if (flag(field, expected) != expected) unsupported(field, expected ? "true" : "false");
  }
  int number(const std::string& field, int low, int high) const {
    const json::value* value = fields_.if_contains(field);
    boost::system::error_code error;
    const int found = value != nullptr ? value->to_number<int>(error) : -1;
    if (error || found < low || found > high)
      unsupported(field, std::to_string(low) + " to " + std::to_string(high));
    return found;
  }
  int number(const std::string& field, int low, int high, int usual) const {
    const json::value* value = fields_.if_contains(field);
    return value == nullptr || value->is_null() ? usual : number(field, low, high);
  }
  const json::value* find(const std::string& field) const { return fields_.if_contains(field); }

 private:
  std::string label_;
  json::object fields_;
};

Activation activation_of(const JsonFields& fields) {
  const std::string name = fields.text("activation_function", "gelu");
  if (name == "relu") return Activation::kRelu;
  if (name == "swish" || name == "silu") return Activation::kSwish;
  if (name == "gelu") return Activation::kGelu;
  fields.unsupported("activation_function", "relu, swish, silu, gelu");
}

// Adds the tokens of bad_words_ids that are forbidden by themselves.
void add_forbidden(const JsonFields& fields, std::vector<int>& forbidden) {
  const json::value* lists = fields.find("bad_words_ids");
  if (lists == nullptr || !lists->is_array()) return;
  for (const json::value& list : lists->as_array()) {
    if (!list.is_array() || list.as_array().size() != 1 || !list.as_array()[0].is_int64()) continue;
    forbidden.push_back(
        static_cast<int>(std::clamp<std::int64_t>(list.as_array()[0].as_int64(), -1, 1 << 30)));
  }
}

// Reads the tensors of MarianMTModel.
class Converter {
 public:
  Converter(const TensorFile& file, const TransformersSettings& settings, ConvertedModel& model)
      : file_(file),
        tensors_(file),
        settings_(settings),
        model_(model),
        config_(model.config),
        width_(config_.d_model) {}

  void convert() {
    convert_embeddings();
    for (const std::string side : {"encoder", "decoder"}) {
      const bool decoder = side == "decoder";
      for (int layer = 0; layer < (decoder ? config_.decoder_layers : config_.encoder_layers);
           ++layer) {
        const std::string to = side + ".layers." + std::to_string(layer) + ".";
        const std::string from = "model." + to;
        attention(from + "self_attn", to + "self_attn");
        if (decoder) attention(from + "encoder_attn", to + "encoder_attn");
        linear(from + "fc1", to + "fc1", config_.ffn, width_);
        linear(from + "fc2", to + "fc2", width_, config_.ffn);
        norm(from + "final_layer_norm", to + "final_layer_norm");
      }
      check_positions("model." + side + ".embed_positions.weight");
    }
    convert_output_bias();
    tensors_.reject_unread([](std::string_view name) { return is_embedding(name); });
  }

 private:
  static bool is_embedding(std::string_view name) {
    return name == "model.shared.weight" || name == "lm_head.weight" ||
           name.ends_with("coder.embed_tokens.weight");
  }
  void add(const std::string& name, Shape shape, std::vector<float> values) {
    model_.tensors.add(name, std::move(shape), std::move(values));
  }

  std::int64_t target_rows() const { return rows_of(target_table()); }
  std::int64_t rows_of(const std::string& table) const {
    const auto found = file_.shapes().find(table);
    return found == file_.shapes().end() || found->second.empty() ? 0 : found->second[0];
  }
  // A file has tied embeddings under one or more of their names.
  std::string first_of(std::initializer_list<const char*> names) const {
    const auto* found = std::find_if(names.begin(), names.end(),
                                     [&](const char* name) { return tensors_.has(name); });
    return found != names.end() ? *found : *names.begin();
  }
  std::string source_table() const {
    if (settings_.separate_vocabularies) return "model.encoder.embed_tokens.weight";
    return first_of({"model.encoder.embed_tokens.weight", "model.shared.weight",
                     "model.decoder.embed_tokens.weight", "lm_head.weight"});
  }
  std::string target_table() const {
    if (settings_.separate_vocabularies)
      return first_of({"model.decoder.embed_tokens.weight", "lm_head.weight"});
    return first_of({"model.decoder.embed_tokens.weight", "model.shared.weight",
                     "model.encoder.embed_tokens.weight", "lm_head.weight"});
  }

  std::vector<float> table(const std::string& name, const std::vector<int>& order, bool scaled) {
    auto rows = reordered_rows(tensors_.read(name, {rows_of(name), width_}), width_, order);
    // The engine multiplies embeddings by the square root of their width.
    const float scale = scaled ? 1.0F : 1.0F / std::sqrt(static_cast<float>(width_));
    if (!scaled) std::for_each(rows.begin(), rows.end(), [&](float& value) { value *= scale; });
    return rows;
  }
  void convert_embeddings() {
    if (!config_.shared_embeddings)
      add("encoder.embed_tokens.weight", {config_.source_vocabulary, width_},
          table(source_table(), model_.source_order, settings_.scales_embeddings));
    std::vector<int> order = model_.target_order;
    order[kBeginOfSentence] = settings_.start;
    add("decoder.embed_tokens.weight", {config_.target_vocabulary, width_},
        table(target_table(), order, settings_.scales_embeddings));
    if (!config_.tied_output)
      add("decoder.output_projection.weight", {config_.target_vocabulary, width_},
          table("lm_head.weight", model_.target_order, /*scaled=*/true));
  }

  void linear(const std::string& from, const std::string& to, std::int64_t outputs,
              std::int64_t inputs) {
    add(to + ".weight", {outputs, inputs}, tensors_.read(from + ".weight", {outputs, inputs}));
    add(to + ".bias", {outputs}, tensors_.read(from + ".bias", {outputs}));
  }
  void norm(const std::string& from, const std::string& to) {
    add(to + ".weight", {width_}, tensors_.read(from + ".weight", {width_}));
    add(to + ".bias", {width_}, tensors_.read(from + ".bias", {width_}));
  }
  void attention(const std::string& from, const std::string& to) {
    std::vector<float> weight;
    std::vector<float> bias;
    for (const char* part : {".q_proj", ".k_proj", ".v_proj"}) {
      const auto rows = tensors_.read(from + part + ".weight", {width_, width_});
      weight.insert(weight.end(), rows.begin(), rows.end());
      const auto numbers = tensors_.read(from + part + ".bias", {width_});
      bias.insert(bias.end(), numbers.begin(), numbers.end());
    }
    add(to + ".in_proj_weight", {3 * width_, width_}, std::move(weight));
    add(to + ".in_proj_bias", {3 * width_}, std::move(bias));
    linear(from + ".out_proj", to + ".out_proj", width_, width_);
    norm(from + "_layer_norm", to + "_layer_norm");
  }

  // Files of older versions have the sinusoids, which must be those that the engine computes.
  void check_positions(const std::string& name) {
    const auto found = file_.shapes().find(name);
    if (found == file_.shapes().end()) return;
    const std::int64_t rows = found->second.empty() ? 0 : found->second[0];
    const std::vector<float> values = tensors_.read(name, {rows, width_});
    constexpr double kTolerance = 1e-2;  // of float16
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto column = static_cast<std::int64_t>(i) % width_;
      const auto position = static_cast<double>(static_cast<std::int64_t>(i) / width_);
      const auto frequency = static_cast<double>(2 * (column % (width_ / 2)));
      const double angle = position / std::pow(10000.0, frequency / static_cast<double>(width_));
      const double expected = column < width_ / 2 ? std::sin(angle) : std::cos(angle);
      if (std::abs(values[i] - expected) > kTolerance)
        throw std::runtime_error(
            tensor_error(file_.label(), name, "trained positions", "sinusoids"));
    }
  }

  void convert_output_bias() {
    const std::string name = "final_logits_bias";
    std::vector<float> bias(static_cast<std::size_t>(target_rows()));
    if (tensors_.has(name)) bias = tensors_.read(name, {1, target_rows()});
    for (const int token : settings_.forbidden) {
      if (token >= 0 && static_cast<std::size_t>(token) < bias.size())
        bias[static_cast<std::size_t>(token)] = kForbidden;
    }
    std::vector<float> ours = reordered_rows(bias, 1, model_.target_order);
    ours[kBeginOfSentence] = kForbidden;
    ours[kPadding] = kForbidden;
    add("decoder.output_projection.bias", {config_.target_vocabulary}, std::move(ours));
  }

  const TensorFile& file_;
  TensorReader tensors_;
  const TransformersSettings& settings_;
  ConvertedModel& model_;
  const ModelConfig& config_;
  std::int64_t width_;
};

}  // namespace

TransformersSettings parse_transformers_settings(const ModelFiles& files) {
  const JsonFields fields(files, "config.json");
  if (fields.text("model_type", "") != "marian") fields.unsupported("model_type", "\"marian\"");
  fields.require_flag("static_position_embeddings", true);
  for (const char* field : {"normalize_before", "normalize_embedding", "add_final_layer_norm"})
    fields.require_flag(field, false);
  TransformersSettings settings;
  ModelConfig& config = settings.config;
  config.d_model = fields.number("d_model", 4, kMaxSize);
  config.heads = fields.number("encoder_attention_heads", 1, config.d_model);
  config.ffn = fields.number("encoder_ffn_dim", 1, 4 * kMaxSize);
  if (config.d_model % 2 != 0 || config.d_model % config.heads != 0)
    fields.unsupported("encoder_attention_heads", "divisors of d_model, which is even");
  if (fields.number("decoder_attention_heads", 1, kMaxSize) != config.heads)
    fields.unsupported("decoder_attention_heads", "encoder_attention_heads");
  if (fields.number("decoder_ffn_dim", 1, 4 * kMaxSize) != config.ffn)
    fields.unsupported("decoder_ffn_dim", "encoder_ffn_dim");
  constexpr int kMaxLayers = 128;
  config.encoder_layers = fields.number("encoder_layers", 1, kMaxLayers);
  config.decoder_layers = fields.number("decoder_layers", 1, kMaxLayers);
  config.norm = Norm::kPost;
  config.activation = activation_of(fields);
  config.cross_attention = {DotProductOptions()};
  config.encoder_reach = EncoderReach::kBidirectional;
  config.positions = Positions::kTransformers;
  config.decoder_start = DecoderStart::kBegin;
  config.output_bias = true;
  config.tied_output = fields.flag("tie_word_embeddings", true);
  settings.separate_vocabularies = !fields.flag("share_encoder_decoder_embeddings", true);
  config.shared_embeddings = !settings.separate_vocabularies;
  settings.scales_embeddings = fields.flag("scale_embedding", false);
  if (!settings.scales_embeddings && config.tied_output)
    fields.unsupported("scale_embedding", "true if 'tie_word_embeddings' is true");
  constexpr int kMaxToken = 1'000'000;
  settings.end = fields.number("eos_token_id", 0, kMaxToken);
  settings.padding = fields.number("pad_token_id", 0, kMaxToken);
  settings.start = fields.number("decoder_start_token_id", 0, kMaxToken, settings.padding);
  settings.name = fields.text("_name_or_path", "");
  add_forbidden(fields, settings.forbidden);
  if (files.has("generation_config.json"))
    add_forbidden(JsonFields(files, "generation_config.json"), settings.forbidden);
  return settings;
}

ConvertedModel convert_transformers(const TensorFile& file, const TransformersSettings& settings,
                                    const ImportedVocabulary& source,
                                    const ImportedVocabulary& target) {
  ConvertedModel model;
  model.config = settings.config;
  const auto order_of = [](const ImportedVocabulary& vocabulary) {
    return package_order(vocabulary, static_cast<std::int64_t>(vocabulary.pieces.size()));
  };
  model.source_order = order_of(source);
  model.target_order = order_of(target);
  if (settings.start >= static_cast<int>(target.pieces.size()))
    throw std::runtime_error(printable(file.label()) +
                             ": 'decoder_start_token_id' is no token of the vocabulary");
  model.config.source_vocabulary = static_cast<int>(model.source_order.size());
  model.config.target_vocabulary = static_cast<int>(model.target_order.size());
  Converter(file, settings, model).convert();
  return model;
}

}  // namespace surtitle
