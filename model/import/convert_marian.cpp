// convert_marian(): Marian's settings and tensors.
#include <array>
#include <stdexcept>

#include "model/import/converted_model.h"
#include "model/package/safetensors_header.h"
#include "model/text/tokenizer.h"
#include "model/util/yaml_map.h"

namespace surtitle {
namespace {

constexpr int kMaxSize = 16384;  // of all dimensions; the tensors' shapes must fit, too

constexpr auto kActivations =
    std::to_array<Named<Activation>>({{"relu", Activation::kRelu}, {"swish", Activation::kSwish}});

struct Settings {
  ModelConfig config;
  bool tied_source = false;  // source and target have one table of embeddings
};

class SettingsParser {
 public:
  SettingsParser(const std::string& yaml, const std::string& label)
      : map_(parse_yaml(yaml, label + ": special:model.yml"), label + ": special:model.yml") {}

  Settings parse() {
    require("type", "transformer", "transformer");
    reject_unsupported();
    Settings settings;
    ModelConfig& config = settings.config;
    config.d_model = number("dim-emb");
    config.heads = number("transformer-heads");
    config.ffn = number("transformer-dim-ffn");
    config.encoder_layers = number("enc-depth");
    config.decoder_layers = number("dec-depth");
    if (config.d_model % 2 != 0 || config.d_model % config.heads != 0)
      unsupported("transformer-heads", "divisors of dim-emb, which is even");
    config.activation = Activation::kSwish;
    map_.get_named_if_there("transformer-ffn-activation", config.activation, kActivations);
    config.cross_attention = {DotProductOptions()};
    config.encoder_reach = EncoderReach::kBidirectional;
    config.positions = Positions::kMarian;
    config.decoder_start = DecoderStart::kBegin;
    config.output_bias = true;
    read_memory(config);
    read_norms(config);
    const bool all = flag("tied-embeddings-all");
    settings.tied_source = all || flag("tied-embeddings-src");
    config.shared_embeddings = settings.tied_source;
    config.tied_output = all || flag("tied-embeddings");
    return settings;
  }

  std::int64_t vocabulary(std::size_t side) {
    std::vector<std::int64_t> sizes;
    map_.get_if_there("dim-vocabs", sizes);
    if (sizes.size() != 2) unsupported("dim-vocabs", "the sizes of two vocabularies");
    return sizes[side];
  }
  bool has_output_bias() { return !flag("output-omit-bias"); }

 private:
  [[noreturn]] void unsupported(const std::string& field, const std::string& allowed) {
    const YAML::Node node = map_.node(field);
    map_.fail(node, "'" + field + "' is " + YAML::Dump(node) + "; supported: " + allowed);
  }
  std::string text(const std::string& field, const std::string& usual) {
    std::string value = usual;
    map_.get_if_there(field, value);
    return value;
  }
  bool flag(const std::string& field) {
    bool value = false;
    map_.get_if_there(field, value);
    return value;
  }
  int number(const std::string& field) {
    int value = 0;
    static_cast<void>(map_.node(field));
    map_.get_if_there(field, value, 1, kMaxSize);
    return value;
  }
  void require(const std::string& field, const std::string& value, const std::string& usual) {
    if (text(field, usual) != value) unsupported(field, value);
  }

  void reject_unsupported() {
    for (const char* field :
         {"transformer-no-projection", "transformer-pool", "transformer-train-positions",
          "transformer-train-position-embeddings", "transformer-rnn-projection",
          "transformer-no-bias", "transformer-no-affine", "layer-normalization", "right-left",
          "ulr"}) {
      if (flag(field)) unsupported(field, "false");
    }
    for (const char* field :
         {"lemma-dim-emb", "transformer-decoder-dim-ffn", "transformer-decoder-ffn-depth"}) {
      if (text(field, "0") != "0") unsupported(field, "0");
    }
    require("transformer-ffn-depth", "2", "2");
    if (map_.has("transformer-tied-layers") && map_.node("transformer-tied-layers").size() != 0)
      unsupported("transformer-tied-layers", "[]");
    // Dropout (d) is for training.
    if (without_dropout("transformer-postprocess-emb") != "")
      unsupported("transformer-postprocess-emb", "d");
  }

  void read_memory(ModelConfig& config) {
    const std::string memory = text("transformer-decoder-autoreg", "self-attention");
    if (memory == "rnn") {
      require("dec-cell", "ssru", "gru");
      config.target_memory = TargetMemory::kSsru;
    } else if (memory != "self-attention") {
      unsupported("transformer-decoder-autoreg", "self-attention, rnn");
    }
  }

  std::string without_dropout(const std::string& field) {
    std::string operations = text(field, "");
    std::erase(operations, 'd');
    return operations;
  }
  // The operations are a, adding the sub-layer's input, and n, the norm.
  void read_norms(ModelConfig& config) {
    const std::string before = without_dropout("transformer-preprocess");
    const std::string after = without_dropout("transformer-postprocess");
    const std::string top = without_dropout("transformer-postprocess-top");
    if (before != "" && before != "n") unsupported("transformer-preprocess", "'' and n");
    const std::string expected = before == "n" ? "a" : "an";
    if (after != expected)
      unsupported("transformer-postprocess", before == "n" ? "da after norms before sub-layers"
                                                           : "dan without norms before sub-layers");
    config.norm = before == "n" ? Norm::kPre : Norm::kPost;
    if (top != "" && (top != "n" || config.norm == Norm::kPost))
      unsupported("transformer-postprocess-top", "'', and n with norms before sub-layers");
    config.final_norm = config.norm == Norm::kPost || top == "n";
  }

  YamlMap map_;
};

class Converter {
 public:
  Converter(const TensorFile& file, ConvertedModel& model)
      : tensors_(file), model_(model), config_(model.config), width_(config_.d_model) {}

  void convert_layers() {
    for (int layer = 0; layer < config_.encoder_layers; ++layer) {
      const auto [from, to] = names("encoder", layer);
      attention(from + "_self", to + "self_attn");
      feed_forward(from, to);
    }
    for (int layer = 0; layer < config_.decoder_layers; ++layer) {
      const auto [from, to] = names("decoder", layer);
      if (config_.target_memory == TargetMemory::kSsru) {
        recurrence(from + "_rnn", to + "ssru");
      } else {
        attention(from + "_self", to + "self_attn");
      }
      attention(from + "_context", to + "encoder_attn");
      feed_forward(from, to);
    }
    if (!config_.has_final_norms()) return;
    for (const std::string side : {"encoder", "decoder"})
      norm(side + "_top", side + ".layer_norm", "");
  }

  void convert_embeddings(bool tied_source, std::int64_t source_rows, std::int64_t target_rows) {
    // Without a row for our begin of sentence, its embedding is zeros, Marian's first input.
    if (!tied_source)
      add("encoder.embed_tokens.weight", {config_.source_vocabulary, width_},
          reordered_rows(tensors_.read("encoder_Wemb", {source_rows, width_}), width_,
                         model_.source_order));
    add("decoder.embed_tokens.weight", {config_.target_vocabulary, width_},
        reordered_rows(tensors_.read(tied_source ? "Wemb" : "decoder_Wemb", {target_rows, width_}),
                       width_, model_.target_order));
    const std::string output = "decoder_ff_logit_out";
    if (config_.tied_output) return;
    const auto weight = tensors_.has(output + "_W")  // of old versions
                            ? tensors_.read_transposed(output + "_W", target_rows, width_)
                            : tensors_.read(output + "_Wt", {target_rows, width_});
    add("decoder.output_projection.weight", {config_.target_vocabulary, width_},
        reordered_rows(weight, width_, model_.target_order));
  }

  void convert_output_bias(bool stored, std::int64_t target_rows) {
    std::vector<float> bias(static_cast<std::size_t>(target_rows));
    if (stored) bias = tensors_.read("decoder_ff_logit_out_b", {1, target_rows});
    std::vector<float> ours = reordered_rows(bias, 1, model_.target_order);
    // Marian never writes the unknown token unless it is asked to.
    for (const int token : {kBeginOfSentence, kPadding, kUnknown})
      ours[static_cast<std::size_t>(token)] = kForbidden;
    add("decoder.output_projection.bias", {config_.target_vocabulary}, std::move(ours));
  }

  void reject_unread() const {
    // Multipliers of activations, with which intgemm saves time.
    tensors_.reject_unread([](std::string_view name) {
      return name.ends_with("_QuantMultA") || name.starts_with("special:");
    });
  }

 private:
  struct Names {
    std::string from;
    std::string to;
  };
  static Names names(const std::string& side, int layer) {
    return {side + "_l" + std::to_string(layer + 1),
            side + ".layers." + std::to_string(layer) + "."};
  }
  void add(const std::string& name, Shape shape, std::vector<float> values) {
    model_.tensors.add(name, std::move(shape), std::move(values));
  }

  void linear(const std::string& weight, const std::string& bias, const std::string& to,
              std::int64_t outputs, std::int64_t inputs) {
    add(to + ".weight", {outputs, inputs}, tensors_.read_transposed(weight, outputs, inputs));
    add(to + ".bias", {outputs}, tensors_.read(bias, {1, outputs}));
  }
  void norm(const std::string& from, const std::string& to, const std::string& suffix) {
    add(to + ".weight", {width_}, tensors_.read(from + "_ln_scale" + suffix, {1, width_}));
    add(to + ".bias", {width_}, tensors_.read(from + "_ln_bias" + suffix, {1, width_}));
  }
  std::string norm_suffix() const { return config_.norm == Norm::kPre ? "_pre" : ""; }

  void attention(const std::string& from, const std::string& to) {
    std::vector<float> weight;
    std::vector<float> bias;
    for (const char* part : {"q", "k", "v"}) {
      const auto rows = tensors_.read_transposed(from + "_W" + part, width_, width_);
      weight.insert(weight.end(), rows.begin(), rows.end());
      const auto numbers = tensors_.read(from + "_b" + part, {1, width_});
      bias.insert(bias.end(), numbers.begin(), numbers.end());
    }
    add(to + ".in_proj_weight", {3 * width_, width_}, std::move(weight));
    add(to + ".in_proj_bias", {3 * width_}, std::move(bias));
    linear(from + "_Wo", from + "_bo", to + ".out_proj", width_, width_);
    norm(from + "_Wo", to + "_layer_norm", norm_suffix());
  }
  void recurrence(const std::string& from, const std::string& to) {
    add(to + ".weight", {width_, width_}, tensors_.read_transposed(from + "_W", width_, width_));
    linear(from + "_Wf", from + "_bf", to + ".forget", width_, width_);
    // Marian names a norm before the sub-layer otherwise than one after it.
    norm(config_.norm == Norm::kPre ? from : from + "_ffn", to + "_layer_norm", norm_suffix());
  }
  void feed_forward(const std::string& from, const std::string& to) {
    const std::string name = from + "_ffn";
    linear(name + "_W1", name + "_b1", to + "fc1", config_.ffn, width_);
    linear(name + "_W2", name + "_b2", to + "fc2", width_, config_.ffn);
    norm(name + "_ffn", to + "final_layer_norm", norm_suffix());
  }

  TensorReader tensors_;
  ConvertedModel& model_;
  const ModelConfig& config_;
  std::int64_t width_;
};

}  // namespace

void TensorList::add(std::string name, Shape shape, std::vector<float> values) {
  const auto& kept = values_.emplace_back(std::move(values));
  views_.push_back(
      {std::move(name), DType::kF32, std::move(shape), std::as_bytes(std::span(kept))});
}

ConvertedModel convert_marian(const MarianCheckpoint& checkpoint, const ImportedVocabulary& source,
                              const ImportedVocabulary& target) {
  SettingsParser parser(checkpoint.settings, checkpoint.tensors->label());
  const Settings settings = parser.parse();
  const std::int64_t source_rows = parser.vocabulary(0);
  const std::int64_t target_rows = parser.vocabulary(1);
  ConvertedModel model;
  model.config = settings.config;
  const auto check = [&](const ImportedVocabulary& vocabulary, std::int64_t rows) {
    if (vocabulary.end >= rows || vocabulary.unknown >= rows)
      throw std::runtime_error(printable(checkpoint.tensors->label()) +
                               ": 'dim-vocabs' has no end of sentence or no unknown token");
  };
  check(source, source_rows);
  check(target, target_rows);
  model.source_order = package_order(source, source_rows);
  model.target_order = package_order(target, target_rows);
  if (settings.tied_source && model.source_order != model.target_order)
    throw std::runtime_error(printable(checkpoint.tensors->label()) +
                             ": source and target have one table of embeddings, and vocabularies "
                             "of different order");
  model.config.source_vocabulary = static_cast<int>(model.source_order.size());
  model.config.target_vocabulary = static_cast<int>(model.target_order.size());

  Converter converter(*checkpoint.tensors, model);
  converter.convert_embeddings(settings.tied_source, source_rows, target_rows);
  converter.convert_layers();
  converter.convert_output_bias(parser.has_output_bias(), target_rows);
  converter.reject_unread();
  return model;
}

}  // namespace surtitle
