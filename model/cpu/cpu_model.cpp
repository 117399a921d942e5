#include "model/cpu/cpu_model.h"

#include <cmath>
#include <string>
#include <utility>

#include "model/engine/sinusoids.h"
#include "model/package/tensor_values.h"

namespace surtitle {
namespace {

// Reads tensors of a package, with names and shapes checked.
class Reader {
 public:
  Reader(const Package& package, Precision precision)
      : weights_(package.weights),
        width_(package.description.architecture.d_model),
        ffn_(package.description.architecture.ffn),
        fc2_inputs_(package.description.architecture.activation == Activation::kRelu
                        ? LinearInputs::kAfterRelu
                        : LinearInputs::kAny),
        precision_(precision) {}

  std::vector<float> values(const std::string& name) const { return float_values(weights_, name); }

  CpuNorm norm(const std::string& name) const {
    return {values(name + ".weight"), values(name + ".bias")};
  }

  CpuLinear linear(const std::string& name, std::int64_t inputs,
                   LinearInputs kind = LinearInputs::kAny) const {
    return {values(name + ".weight"), values(name + ".bias"), inputs, precision_, kind};
  }

  // Returns outputs [first, last) of an attention's projection, in multiples of C.
  CpuLinear projection(const std::string& attention, int first, int last) const {
    return {part(values(attention + ".in_proj_weight"), first, last, width_ * width_),
            part(values(attention + ".in_proj_bias"), first, last, width_), width_, precision_};
  }

  // Returns the projection of keys and values, with the keys adapted to `cross`.
  CpuLinear key_value(const std::string& attention, const CpuCrossAttention& cross) const {
    auto weight = part(values(attention + ".in_proj_weight"), 1, 3, width_ * width_);
    auto bias = part(values(attention + ".in_proj_bias"), 1, 3, width_);
    cross.change_keys(weight.data(), bias.data());
    return {weight, std::move(bias), width_, precision_};
  }

  void read_self_attention(const std::string& name, CpuLayer& layer) const {
    layer.self_norm = norm(name + "self_attn_layer_norm");
    layer.self_in = projection(name + "self_attn", 0, 3);
    layer.self_out = linear(name + "self_attn.out_proj", width_);
  }

  void read_recurrence(const std::string& name, CpuLayer& layer) const {
    layer.self_norm = norm(name + "ssru_layer_norm");
    auto weight = values(name + "ssru.weight");
    const auto forget = values(name + "ssru.forget.weight");
    weight.insert(weight.end(), forget.begin(), forget.end());
    std::vector<float> bias(static_cast<std::size_t>(width_));
    const auto forget_bias = values(name + "ssru.forget.bias");
    bias.insert(bias.end(), forget_bias.begin(), forget_bias.end());
    layer.self_in = {weight, std::move(bias), width_, precision_};
  }

  void read_feed_forward(const std::string& name, CpuLayer& layer) const {
    layer.ffn_norm = norm(name + "final_layer_norm");
    layer.fc1 = linear(name + "fc1", width_);
    layer.fc2 = linear(name + "fc2", ffn_, fc2_inputs_);
  }

  void read(const ModelConfig& config, int index, CpuDecoderLayer& layer) const {
    const auto name = "decoder.layers." + std::to_string(index) + ".";
    const auto attention = name + "encoder_attn";
    if (config.target_memory == TargetMemory::kSsru) {
      read_recurrence(name, layer);
    } else {
      read_self_attention(name, layer);
    }
    read_feed_forward(name, layer);
    layer.leader = static_cast<std::size_t>(config.alignment_leader(index));
    layer.cross = make_cpu_cross_attention(config.cross_attention_of(index),
                                           {.file = weights_,
                                            .prefix = attention + ".",
                                            .width = width_,
                                            .heads = config.heads,
                                            .leads = config.alignment_leader(index) == index,
                                            .precision = precision_});
    layer.cross_norm = norm(attention + "_layer_norm");
    layer.cross_query = projection(attention, 0, 1);
    layer.cross_key_value = key_value(attention, *layer.cross);
    layer.cross_out = linear(attention + ".out_proj", width_);
  }

  // Returns an embedding, scaled for the sum with positions.
  AlignedVector<float> table(const std::string& name) const {
    const auto read = values(name);
    AlignedVector<float> table(read.begin(), read.end());
    const auto scale = static_cast<float>(std::sqrt(static_cast<double>(width_)));
    for (auto& value : table) value *= scale;
    return table;
  }

 private:
  static std::vector<float> part(const std::vector<float>& all, int first, int last,
                                 std::int64_t size) {
    return {all.begin() + first * size, all.begin() + last * size};
  }

  const SafetensorsFile& weights_;
  std::int64_t width_;
  std::int64_t ffn_;
  LinearInputs fc2_inputs_;
  Precision precision_;
};

}  // namespace

CpuModel::CpuModel(const Package& package, Precision precision, int positions)
    : config(package.description.architecture),
      encoder(static_cast<std::size_t>(config.encoder_layers)),
      decoder(static_cast<std::size_t>(config.decoder_layers)),
      alignment_heads(decoder.size()) {
  const auto waves = make_sinusoids(positions, config.d_model, config.positions);
  sinusoids.assign(waves.begin(), waves.end());
  const Reader reader(package, precision);
  const std::string target = "decoder.embed_tokens.weight";
  target_table = reader.table(target);
  if (!config.shared_embeddings) source_table = reader.table("encoder.embed_tokens.weight");
  for (std::size_t i = 0; i < encoder.size(); ++i) {
    const auto name = "encoder.layers." + std::to_string(i) + ".";
    reader.read_self_attention(name, encoder[i]);
    reader.read_feed_forward(name, encoder[i]);
  }
  for (const auto& [layer, head] : package.description.aligning_heads())
    alignment_heads[static_cast<std::size_t>(layer)].push_back(head);
  for (std::size_t i = 0; i < decoder.size(); ++i)
    reader.read(config, static_cast<int>(i), decoder[i]);
  if (config.has_final_norms()) {
    encoder_norm = reader.norm("encoder.layer_norm");
    decoder_norm = reader.norm("decoder.layer_norm");
  }
  const auto read_classifier = [&](StateClassifier which, const std::string& tensor) {
    auto& classifier = classifiers[static_cast<std::size_t>(which)];
    classifier = reader.values(tensor + ".weight");
    classifier.push_back(reader.values(tensor + ".bias").front());
  };
  if (config.meaning_units) read_classifier(StateClassifier::kUnitEnd, "encoder.unit_end");
  if (config.sentence_starts)
    read_classifier(StateClassifier::kSentenceStart, "encoder.sentence_start");
  output = {
      reader.values(config.tied_output ? target : "decoder.output_projection.weight"),
      config.output_bias ? reader.values("decoder.output_projection.bias") : std::vector<float>(),
      config.d_model, precision};
}

}  // namespace surtitle
