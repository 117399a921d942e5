#include "model/package/config.h"

#include <yaml-cpp/yaml.h>

#include <array>
#include <sstream>
#include <tuple>

#include "model/util/yaml_map.h"

namespace surtitle {
namespace {

// Upper bounds far beyond any use. With them, no size that is computed from a configuration
// overflows 64 bits.
constexpr int kMaxWidth = 16384;
constexpr int kMaxLayers = 128;
constexpr int kMaxVocabulary = 1'000'000;
constexpr int kMinVocabulary = 4;  // the special tokens

struct Field {
  const char* name;
  int ModelConfig::*value;
  int low;
  int high;
};
constexpr auto kNumbers = std::to_array<Field>({
    {"d_model", &ModelConfig::d_model, 4, kMaxWidth},  // positions need at least 2 frequencies
    {"heads", &ModelConfig::heads, 1, kMaxWidth},
    {"ffn", &ModelConfig::ffn, 1, 4 * kMaxWidth},
    {"encoder_layers", &ModelConfig::encoder_layers, 1, kMaxLayers},
    {"decoder_layers", &ModelConfig::decoder_layers, 1, kMaxLayers},
    {"source_vocabulary", &ModelConfig::source_vocabulary, kMinVocabulary, kMaxVocabulary},
    {"target_vocabulary", &ModelConfig::target_vocabulary, kMinVocabulary, kMaxVocabulary},
});

struct Flag {
  const char* name;
  bool ModelConfig::*value;
};
constexpr auto kFlags = std::to_array<Flag>({
    {"shared_embeddings", &ModelConfig::shared_embeddings},
    {"tied_output", &ModelConfig::tied_output},
});

constexpr auto kNorms = std::to_array<Named<Norm>>({{"pre", Norm::kPre}, {"post", Norm::kPost}});
constexpr auto kReaches = std::to_array<Named<EncoderReach>>(
    {{"causal", EncoderReach::kCausal}, {"bidirectional", EncoderReach::kBidirectional}});
constexpr auto kActivations = std::to_array<Named<Activation>>(
    {{"relu", Activation::kRelu}, {"swish", Activation::kSwish}, {"gelu", Activation::kGelu}});
constexpr auto kPositions =
    std::to_array<Named<Positions>>({{"fairseq", Positions::kFairseq},
                                     {"marian", Positions::kMarian},
                                     {"transformers", Positions::kTransformers}});
constexpr auto kMemories = std::to_array<Named<TargetMemory>>(
    {{"attention", TargetMemory::kAttention}, {"ssru", TargetMemory::kSsru}});
constexpr auto kStarts = std::to_array<Named<DecoderStart>>(
    {{"end-of-sentence", DecoderStart::kEnd}, {"begin-of-sentence", DecoderStart::kBegin}});

struct FieldValue {
  const char* name;
  std::string value;
  bool unusual = false;  // only imported models and classifiers have it; left out otherwise
};

// Returns the values of all fields in the order of a package's file.
std::vector<FieldValue> values_of(const ModelConfig& config) {
  std::vector<FieldValue> values;
  const auto text = [](bool value) { return value ? "true" : "false"; };
  const auto unusual = [&](const char* name, std::string value) {
    values.push_back({name, std::move(value), true});
  };
  for (const Field& field : kNumbers)
    values.push_back({field.name, std::to_string(config.*field.value)});
  values.push_back({"norm", std::string(name_of(config.norm, kNorms))});
  values.push_back({"cross_attention", to_yaml(config.cross_attention)});
  for (const Flag& flag : kFlags) values.push_back({flag.name, text(config.*flag.value)});
  unusual("output_bias", text(config.output_bias));
  unusual("final_norm", text(config.final_norm));
  unusual("encoder_reach", std::string(name_of(config.encoder_reach, kReaches)));
  unusual("activation", std::string(name_of(config.activation, kActivations)));
  unusual("positions", std::string(name_of(config.positions, kPositions)));
  unusual("target_memory", std::string(name_of(config.target_memory, kMemories)));
  unusual("decoder_start", std::string(name_of(config.decoder_start, kStarts)));
  unusual("meaning_units", text(config.meaning_units));
  unusual("sentence_starts", text(config.sentence_starts));
  return values;
}

// Collects the tensors of one model.
class TensorList {
 public:
  explicit TensorList(const ModelConfig& config) : config_(config), width_(config.d_model) {}

  std::vector<ExpectedTensor> list() {
    if (!config_.shared_embeddings) {
      add("encoder.embed_tokens.weight", {config_.source_vocabulary, width_});
    }
    for (int layer = 0; layer < config_.encoder_layers; ++layer) {
      const std::string name = "encoder.layers." + std::to_string(layer) + ".";
      add_attention(name + "self_attn");
      add_feed_forward(name);
    }
    add("decoder.embed_tokens.weight", {config_.target_vocabulary, width_});
    for (int layer = 0; layer < config_.decoder_layers; ++layer) {
      const std::string name = "decoder.layers." + std::to_string(layer) + ".";
      if (config_.target_memory == TargetMemory::kSsru) {
        add_recurrence(name + "ssru");
      } else {
        add_attention(name + "self_attn");
      }
      add_attention(name + "encoder_attn");
      for (auto& tensor : config_.cross_tensors_of(layer))
        add(name + "encoder_attn." + tensor.name, std::move(tensor.shape));
      add_feed_forward(name);
    }
    if (config_.has_final_norms()) {
      add_norm("encoder.layer_norm");
      add_norm("decoder.layer_norm");
    }
    if (config_.meaning_units) add_linear("encoder.unit_end", 1, width_);
    if (config_.sentence_starts) add_linear("encoder.sentence_start", 1, width_);
    if (!config_.tied_output) {
      add("decoder.output_projection.weight", {config_.target_vocabulary, width_});
    }
    if (config_.output_bias) add("decoder.output_projection.bias", {config_.target_vocabulary});
    return std::move(tensors_);
  }

 private:
  void add(std::string name, std::vector<std::int64_t> shape) {
    tensors_.push_back({std::move(name), std::move(shape)});
  }
  void add_norm(const std::string& name) {
    add(name + ".weight", {width_});
    add(name + ".bias", {width_});
  }
  void add_linear(const std::string& name, std::int64_t outputs, std::int64_t inputs) {
    add(name + ".weight", {outputs, inputs});
    add(name + ".bias", {outputs});
  }
  // Adds an attention and the norm of its sub-layer.
  void add_attention(const std::string& name) {
    add(name + ".in_proj_weight", {3 * width_, width_});
    add(name + ".in_proj_bias", {3 * width_});
    add_linear(name + ".out_proj", width_, width_);
    add_norm(name + "_layer_norm");
  }
  // Adds a recurrent unit and the norm of its sub-layer.
  void add_recurrence(const std::string& name) {
    add(name + ".weight", {width_, width_});
    add_linear(name + ".forget", width_, width_);
    add_norm(name + "_layer_norm");
  }
  void add_feed_forward(const std::string& layer) {
    add_linear(layer + "fc1", config_.ffn, width_);
    add_linear(layer + "fc2", width_, config_.ffn);
    add_norm(layer + "final_layer_norm");
  }

  const ModelConfig& config_;
  std::int64_t width_;
  std::vector<ExpectedTensor> tensors_;
};

}  // namespace

ModelConfig parse_model_config(const YAML::Node& node, const std::string& file,
                               const ModelConfig& defaults) {
  YamlMap map(node, file);
  ModelConfig config = defaults;
  for (const Field& field : kNumbers) {
    map.get_if_there(field.name, config.*field.value, field.low, field.high);
  }
  map.get_named_if_there("norm", config.norm, kNorms);
  if (map.has("cross_attention"))
    config.cross_attention =
        parse_cross_attentions(map.node("cross_attention"), file, config.decoder_layers);
  for (const Flag& flag : kFlags) map.get_if_there(flag.name, config.*flag.value);
  map.get_if_there("output_bias", config.output_bias);
  map.get_if_there("final_norm", config.final_norm);
  map.get_named_if_there("encoder_reach", config.encoder_reach, kReaches);
  map.get_named_if_there("activation", config.activation, kActivations);
  map.get_named_if_there("positions", config.positions, kPositions);
  map.get_named_if_there("target_memory", config.target_memory, kMemories);
  map.get_named_if_there("decoder_start", config.decoder_start, kStarts);
  map.get_if_there("meaning_units", config.meaning_units);
  map.get_if_there("sentence_starts", config.sentence_starts);
  map.reject_unknown();

  const std::string width = std::to_string(config.d_model);
  if (config.d_model % 2 != 0) map.fail(node, "'d_model' is " + width + "; allowed: even numbers");
  if (config.d_model % config.heads != 0) {
    map.fail(node, "'heads' is " + std::to_string(config.heads) +
                       "; allowed: divisors of d_model, " + width);
  }
  if (config.shared_embeddings && config.source_vocabulary != config.target_vocabulary) {
    map.fail(node, "'shared_embeddings' is true with vocabularies of " +
                       std::to_string(config.source_vocabulary) + " and " +
                       std::to_string(config.target_vocabulary) + "; allowed: equal sizes");
  }
  return config;
}

const CrossAttention& ModelConfig::cross_attention_of(int layer) const {
  return cross_attention.size() == 1 ? cross_attention.front()
                                     : cross_attention.at(static_cast<std::size_t>(layer));
}

int ModelConfig::alignment_leader(int layer) const {
  const auto& attention = cross_attention_of(layer);
  if (!shares_alignment(attention)) return layer;
  int leader = 0;
  while (cross_attention_of(leader) != attention) ++leader;
  return leader;
}

std::vector<CrossTensor> ModelConfig::cross_tensors_of(int layer) const {
  return cross_tensors(cross_attention_of(layer), d_model, heads, alignment_leader(layer) == layer);
}

bool ModelConfig::has_plain_cross_attention() const {
  return cross_attention == CrossAttentions{DotProductOptions()} ||
         cross_attention == CrossAttentions{GmaOptions()};
}

bool ModelConfig::is_trainable() const {
  return encoder_reach == EncoderReach::kCausal && target_memory == TargetMemory::kAttention;
}

bool ModelConfig::has_default_form() const {
  const ModelConfig usual;
  return std::tie(output_bias, final_norm, encoder_reach, activation, positions, target_memory,
                  decoder_start) == std::tie(usual.output_bias, usual.final_norm,
                                             usual.encoder_reach, usual.activation, usual.positions,
                                             usual.target_memory, usual.decoder_start);
}

std::string to_yaml(const ModelConfig& config) {
  std::ostringstream text;
  const auto usual = values_of(ModelConfig());
  auto usual_value = usual.begin();
  for (const auto& field : values_of(config)) {
    const bool is_usual = field.value == (usual_value++)->value;
    if (!field.unusual || !is_usual) text << "  " << field.name << ": " << field.value << '\n';
  }
  return text.str();
}

std::string describe_difference(const ModelConfig& package, const ModelConfig& recipe) {
  std::string text;
  const auto wanted = values_of(recipe);
  auto other = wanted.begin();
  for (const auto& field : values_of(package)) {
    const auto& value = (other++)->value;
    if (field.value == value) continue;
    text.append(text.empty() ? "'" : ", '").append(field.name).append("' is ").append(field.value);
    text.append(" in the package and ").append(value).append(" in the recipe");
  }
  return text;
}

std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config) {
  return TensorList(config).list();
}

}  // namespace surtitle
