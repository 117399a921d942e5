#include "model/package/cross_attention_options.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <type_traits>

#include "model/util/yaml_map.h"

namespace surtitle {
namespace {

using Gma = GmaOptions;
using Mixture = GaussianMixtureOptions;
using Luong = LuongOptions;

constexpr auto kAlignments = std::to_array<Named<Gma::Alignment>>(
    {{"incremental", Gma::Alignment::kIncremental}, {"absolute", Gma::Alignment::kAbsolute}});
constexpr auto kPriors = std::to_array<Named<Gma::Prior>>({{"gaussian", Gma::Prior::kGaussian},
                                                           {"laplace", Gma::Prior::kLaplace},
                                                           {"linear", Gma::Prior::kLinear},
                                                           {"none", Gma::Prior::kNone}});
constexpr auto kSigmas = std::to_array<Named<Gma::Sigma>>({{"p/1", Gma::Sigma::kWhole},
                                                           {"p/2", Gma::Sigma::kHalf},
                                                           {"p/3", Gma::Sigma::kThird},
                                                           {"predicted", Gma::Sigma::kPredicted}});
constexpr auto kSharing = std::to_array<Named<Gma::SharedBy>>({{"none", Gma::SharedBy::kNone},
                                                               {"heads", Gma::SharedBy::kHeads},
                                                               {"layers", Gma::SharedBy::kLayers},
                                                               {"all", Gma::SharedBy::kAll}});
constexpr auto kNormalisations = std::to_array<Named<Mixture::Normalisation>>(
    {{"approximate", Mixture::Normalisation::kApproximate},
     {"strict", Mixture::Normalisation::kStrict},
     {"none", Mixture::Normalisation::kNone}});
constexpr auto kGates =
    std::to_array<Named<Mixture::Gate>>({{"predicted", Mixture::Gate::kPredicted},
                                         {"average", Mixture::Gate::kAverage},
                                         {"mixture", Mixture::Gate::kMixture}});
constexpr auto kShared =
    std::to_array<Named<Mixture::Shared>>({{"none", Mixture::Shared::kNone},
                                           {"mean", Mixture::Shared::kMean},
                                           {"variance", Mixture::Shared::kVariance},
                                           {"weight", Mixture::Shared::kWeight}});
constexpr auto kScores = std::to_array<Named<Luong::Score>>({{"dot", Luong::Score::kDot},
                                                             {"general", Luong::Score::kGeneral},
                                                             {"concat", Luong::Score::kConcat}});
constexpr auto kReaches =
    std::to_array<Named<Luong::Reach>>({{"global", Luong::Reach::kGlobal},
                                        {"local-m", Luong::Reach::kLocalMonotonic},
                                        {"local-p", Luong::Reach::kLocalPredictive}});

// The parameters of each type, for reading and writing.
template <typename Visitor>
void visit_fields(Visitor& field, DotProductOptions& options) {
  field("temperature", options.temperature, 0.01, 100.0);
}
template <typename Visitor>
void visit_fields(Visitor& field, Gma& options) {
  field("alignment", options.alignment, kAlignments);
  field("prior", options.prior, kPriors);
  field("sigma", options.sigma, kSigmas);
  field("shared_by", options.shared_by, kSharing);
}
template <typename Visitor>
void visit_fields(Visitor& field, Mixture& options) {
  field("components", options.components, 1, 64);
  field("normalisation", options.normalisation, kNormalisations);
  field("gate", options.gate, kGates);
  field("shared", options.shared, kShared);
}
template <typename Visitor>
void visit_fields(Visitor& field, HardCodedOptions& options) {
  field("ratio", options.ratio, 0.1, 10.0);
  field("sigma", options.sigma, 0.1, 100.0);
}
template <typename Visitor>
void visit_fields(Visitor&, LocalnessOptions&) {}
template <typename Visitor>
void visit_fields(Visitor& field, Luong& options) {
  field("score", options.score, kScores);
  field("reach", options.reach, kReaches);
  field("window", options.window, 1, 1000);
  field("input_feeding", options.input_feeding);
}
template <typename Visitor>
void visit_fields(Visitor& field, MmaOptions& options) {
  field("bias", options.bias, -100.0, 100.0);
  field("noise", options.noise, 0.0, 100.0);
}
template <typename Visitor>
void visit_fields(Visitor& field, SactOptions& options) {
  field("lambda", options.lambda, 1.01, 100.0);
}

// The types by name, in the order of CrossAttention.
constexpr std::array<const char*, std::variant_size_v<CrossAttention>> kTypes = {
    "dot-product", "gma", "gaussian-mixture", "hard-coded", "localness", "luong", "mma", "sact"};

template <std::size_t... kIndices>
CrossAttention with_defaults(std::size_t type, std::index_sequence<kIndices...>) {
  CrossAttention attention;
  static_cast<void>(((type == kIndices && (attention.emplace<kIndices>(), true)) || ...));
  return attention;
}

std::optional<CrossAttention> make_type(const std::string& name) {
  for (std::size_t type = 0; type < kTypes.size(); ++type)
    if (name == kTypes[type]) return with_defaults(type, std::make_index_sequence<kTypes.size()>());
  return std::nullopt;
}

std::string type_names() {
  std::string names;
  for (const auto* name : kTypes) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

struct Reader {
  YamlMap& map;

  template <typename Number>
  void operator()(const char* name, Number& value, Number low, Number high) {
    map.get_if_there(name, value, low, high);
  }
  template <typename Value, std::size_t N>
  void operator()(const char* name, Value& value, const std::array<Named<Value>, N>& names) {
    map.get_named_if_there(name, value, names);
  }
  void operator()(const char* name, bool& value) { map.get_if_there(name, value); }
};

struct Writer {
  std::string text;

  void add(const char* name, std::string_view value) {
    text.append(", ").append(name).append(": ").append(value);
  }
  template <typename Number>
  void operator()(const char* name, Number& value, Number, Number) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    add(name, {digits.data(), end});
  }
  template <typename Value, std::size_t N>
  void operator()(const char* name, Value& value, const std::array<Named<Value>, N>& names) {
    add(name, name_of(value, names));
  }
  void operator()(const char* name, bool& value) { add(name, value ? "true" : "false"); }
};

// Returns "type: gma, prior: laplace, ...".
std::string fields_of(CrossAttention attention) {
  Writer writer;
  std::visit([&](auto& options) { visit_fields(writer, options); }, attention);
  return std::string("type: ") + kTypes[attention.index()] + writer.text;
}

CrossAttention read_type(YamlMap& map) {
  const auto name = map.get<std::string>("type");
  auto attention = make_type(name);
  if (!attention) map.fail(map.node("type"), "'type' is " + name + "; allowed: " + type_names());
  Reader reader{map};
  std::visit([&](auto& options) { visit_fields(reader, options); }, *attention);
  return *attention;
}

std::vector<int> all_layers(int count) {
  std::vector<int> layers(static_cast<std::size_t>(count));
  std::iota(layers.begin(), layers.end(), 0);
  return layers;
}

// Returns the layers that "top 2" and the like name among `count` layers, or none if `text` is
// invalid.
std::vector<int> named_layers(const std::string& text, int count) {
  if (text == "all") return all_layers(count);
  const auto space = text.find(' ');
  if (space == std::string::npos) return {};
  const auto place = text.substr(0, space);
  int wanted = 0;
  const auto* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + space + 1, end, wanted);
  if (parsed.ec != std::errc() || parsed.ptr != end || wanted < 1 || wanted > count) return {};
  const std::map<std::string, int> first = {
      {"bottom", 0}, {"middle", (count - wanted) / 2}, {"top", count - wanted}};
  const auto found = first.find(place);
  if (found == first.end()) return {};
  auto layers = all_layers(wanted);
  for (auto& layer : layers) layer += found->second;
  return layers;
}

std::vector<int> read_layers(YamlMap& map, int count) {
  if (!map.has("layers")) return all_layers(count);
  const auto node = map.node("layers");
  const auto refuse = [&](const std::string& found) {
    map.fail(node, "'layers' is " + found +
                       "; allowed: all, top N, middle N, bottom N (N from 1 to " +
                       std::to_string(count) + "), or a list of numbers from 0 to " +
                       std::to_string(count - 1));
  };
  if (!node.IsSequence()) {
    const auto text = map.get<std::string>("layers");
    auto layers = named_layers(text, count);
    if (layers.empty()) refuse(text);
    return layers;
  }
  auto layers = map.get<std::vector<int>>("layers");
  if (layers.empty()) refuse("an empty list");
  for (const int layer : layers)
    if (layer < 0 || layer >= count) refuse(std::to_string(layer));
  return layers;
}

// Returns one entry if all are the same, so that equal models compare equal.
CrossAttentions shortened(CrossAttentions attentions) {
  const auto same = [&](const CrossAttention& one) { return one == attentions.front(); };
  if (std::all_of(attentions.begin(), attentions.end(), same)) attentions.resize(1);
  return attentions;
}

}  // namespace

CrossAttentions parse_cross_attentions(const YAML::Node& node, const std::string& file,
                                       int decoder_layers) {
  if (node.IsScalar()) {
    const auto attention = make_type(node.Scalar());
    if (!attention)
      fail_at(file, node,
              "'cross_attention' is " + node.Scalar() + "; allowed: " + type_names() +
                  ", a map with 'type', or a list of such maps");
    return {*attention};
  }
  if (!node.IsMap() && (!node.IsSequence() || node.size() == 0))
    fail_at(file, node,
            "'cross_attention' must be one of " + type_names() +
                ", or a map with 'type', or a list of such maps");
  std::vector<YAML::Node> entries;
  if (node.IsSequence()) {
    for (const auto& entry : node) entries.push_back(entry);
  } else {
    entries.push_back(node);
  }
  std::vector<std::optional<CrossAttention>> layers(static_cast<std::size_t>(decoder_layers));
  for (const auto& entry : entries) {
    YamlMap map(entry, file);
    const auto named = read_layers(map, decoder_layers);
    const auto attention = read_type(map);
    map.reject_unknown();
    for (const int layer : named) {
      auto& one = layers[static_cast<std::size_t>(layer)];
      if (one) map.fail(entry, "layer " + std::to_string(layer) + " has a cross-attention already");
      one = attention;
    }
  }
  CrossAttentions attentions;
  for (const auto& one : layers) attentions.push_back(one.value_or(DotProductOptions()));
  return shortened(attentions);
}

std::string to_yaml(const CrossAttentions& attentions) {
  if (attentions.size() == 1) {
    const auto& only = attentions.front();
    const auto* name = kTypes[only.index()];
    return only == *make_type(name) ? name : "{" + fields_of(only) + "}";
  }
  std::string text;
  for (auto one = attentions.begin(); one != attentions.end(); ++one) {
    if (*one == CrossAttention() || std::find(attentions.begin(), one, *one) != one) continue;
    std::string layers;
    for (auto same = one; same != attentions.end(); ++same)
      if (*same == *one)
        layers.append(layers.empty() ? "" : ", ").append(std::to_string(same - attentions.begin()));
    text.append(text.empty() ? "" : ", ");
    text.append("{layers: [").append(layers).append("], ").append(fields_of(*one)).append("}");
  }
  return "[" + text + "]";
}

}  // namespace surtitle
