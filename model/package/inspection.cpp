#include "model/package/inspection.h"

#include <yaml-cpp/yaml.h>

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "model/package/package.h"
#include "model/package/safetensors_header.h"
#include "model/package/tensor_values.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using std::filesystem::path;

struct Size {
  std::uint64_t parameters = 0;
  std::uint64_t bytes = 0;

  void add(const TensorView& tensor) {
    parameters += tensor.data.size() / byte_size(tensor.dtype);
    bytes += tensor.data.size();
  }
  void add(const Size& other) {
    parameters += other.parameters;
    bytes += other.bytes;
  }
};

// The sizes of a package's parts.
struct Weights {
  Size all;
  std::array<std::pair<const char*, Size>, 4> parts = {
      {{"embeddings", {}}, {"encoder", {}}, {"decoder", {}}, {"output", {}}}};
  std::map<std::string, std::uint64_t> dtypes;  // number of parameters by dtype
  std::size_t ignored = 0;                      // tensors that no part of the model uses
};

std::size_t part_of(const std::string& tensor) {
  if (tensor.find(".embed_tokens.") != std::string::npos) return 0;
  if (tensor.starts_with("encoder.")) return 1;
  return tensor.starts_with("decoder.output_projection.") ? 3 : 2;
}

Weights weigh(const Package& package) {
  Weights weights;
  std::size_t read = 0;
  for (const ExpectedTensor& name : expected_tensors(package.description.architecture)) {
    const TensorView& tensor = *package.weights.find(name.name);
    Size one;
    one.add(tensor);
    ++read;
    if (tensor.dtype == DType::kI8) {
      one.bytes += package.weights.find(name.name + std::string(kScaleSuffix))->data.size();
      ++read;
    }
    weights.all.add(one);
    weights.parts[part_of(name.name)].second.add(one);
    weights.dtypes[std::string(to_string(tensor.dtype))] += one.parameters;
  }
  weights.ignored = package.weights.tensors().size() - read;
  return weights;
}

// Returns the fields of the architecture as in model.yaml.
YAML::Node architecture_fields(const ModelConfig& config) { return YAML::Load(to_yaml(config)); }

json::value json_value(const YAML::Node& node) {
  if (node.IsSequence()) {
    json::array items;
    for (const auto& item : node) items.push_back(json_value(item));
    return items;
  }
  if (node.IsMap()) {
    json::object fields;
    for (const auto& field : node) fields[field.first.Scalar()] = json_value(field.second);
    return fields;
  }
  int number = 0;
  if (YAML::convert<int>::decode(node, number)) return number;
  double real = 0;
  if (YAML::convert<double>::decode(node, real)) return real;
  bool flag = false;
  if (YAML::convert<bool>::decode(node, flag)) return flag;
  json::value text(node.Scalar());
  return text;
}

// Returns the target languages beside target_language.
json::array other_targets(const PackageDescription& description) {
  json::array languages;
  for (const SourcePrefix& prefix : description.source_prefixes)
    if (prefix.target_language != description.target_language)
      languages.push_back(json::value(prefix.target_language));
  return languages;
}

std::string package_json(const Package& package) {
  const PackageDescription& description = package.description;
  const Weights weights = weigh(package);
  json::object architecture;
  for (const auto& field : architecture_fields(description.architecture)) {
    architecture[field.first.Scalar()] = json_value(field.second);
  }
  json::array parts;
  for (const auto& [name, size] : weights.parts) {
    parts.push_back({{"name", name}, {"parameters", size.parameters}, {"bytes", size.bytes}});
  }
  json::object dtypes;
  for (const auto& [name, parameters] : weights.dtypes) dtypes[name] = parameters;
  json::value vocabulary;  // of the target; null for a model of token ids only
  if (package.tokenizers.target) vocabulary = package.tokenizers.target->vocabulary_size();
  json::array alignment_heads;
  for (const auto& [layer, head] : description.alignment_heads)
    alignment_heads.push_back(json::array{layer, head});
  json::array source_forms;
  for (const TextForm form : description.source_forms)
    source_forms.push_back(json::value(name(form)));
  const json::object object = {
      {"name", description.name},
      {"source_language", description.source_language},
      {"target_language", description.target_language},
      {"other_target_languages", other_targets(description)},
      {"architecture", architecture},
      {"vocabulary", vocabulary},
      {"policies", json::array(description.policies.begin(), description.policies.end())},
      {"default_policy", description.default_policy},
      {"alignment_heads", alignment_heads},
      {"source_forms", source_forms},
      {"trained_words", description.trained_words},
      {"training_data", description.training_data},
      {"licence", description.licence},
      {"origin", description.origin},
      {"parameters", weights.all.parameters},
      {"bytes", weights.all.bytes},
      {"dtypes", dtypes},
      {"parts", parts},
      {"ignored_tensors", weights.ignored}};
  return json::serialize(object) + "\n";
}

// Formats 1234567 as "1,234,567".
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string row(const std::string& name, const std::string& value) {
  std::string text = name;
  text.resize(std::max<std::size_t>(name.size() + 1, 20), ' ');
  return text + value + "\n";
}

std::string size_text(const Size& size) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%12s  %9.2f MB", grouped(size.parameters).c_str(),
                static_cast<double>(size.bytes) / 1e6);
  return text.data();
}

template <typename Items, typename Text>
std::string joined(const Items& items, Text text) {
  std::string list;
  for (const auto& item : items) list.append(list.empty() ? "" : ", ").append(text(item));
  return list;
}

std::string tokenizer_text(const Package& package) {
  const TokenizerFiles& files = package.description.tokenizer;
  if (files.type == TokenizerFiles::Type::kNone) return "none";
  const auto side = [](const std::string& file, const Tokenizer& tokenizer) {
    return file + ", " + grouped(static_cast<std::uint64_t>(tokenizer.vocabulary_size())) +
           " pieces";
  };
  std::string source = side(files.source, *package.tokenizers.source);
  if (files.type == TokenizerFiles::Type::kSentencepiece) return source;
  const bool dictionaries = files.type == TokenizerFiles::Type::kDictionary;
  return (dictionaries ? "dictionaries " : "SentencePiece ") + source + "; " +
         side(files.target, *package.tokenizers.target);
}

std::string package_text(const Package& package) {
  const PackageDescription& description = package.description;
  const Weights weights = weigh(package);
  const auto itself = [](const std::string& text) { return text; };
  std::string text =
      row("name", description.name) +
      row("languages", description.source_language + " to " + description.target_language);
  const json::array others = other_targets(description);
  if (!others.empty())
    text += row("other targets", joined(others, [](const json::value& language) {
                  return std::string(language.as_string());
                }));
  for (const auto& field : architecture_fields(description.architecture)) {
    text += row(field.first.Scalar(), YAML::Dump(field.second));
  }
  text += row("tokenizer", tokenizer_text(package));
  text += row("policies", joined(description.policies, itself));
  text += row("default policy", description.default_policy);
  if (!description.alignment_heads.empty()) {
    text += row("alignment heads", joined(description.alignment_heads, [](const auto& one) {
                  return std::to_string(one.layer) + "." + std::to_string(one.head);
                }));
  }
  text += row("source forms", joined(description.source_forms, name));
  text += row("trained for", std::to_string(description.trained_words) + " words");
  text += row("training data", description.training_data);
  text += row("licence", description.licence);
  if (!description.origin.empty()) text += row("origin", description.origin);
  text += row("dtype", joined(weights.dtypes, [](const auto& dtype) { return dtype.first; }));
  text += row("parameters", size_text(weights.all));
  for (const auto& [name, size] : weights.parts) {
    text += row("  " + std::string(name), size_text(size));
  }
  if (weights.ignored > 0) text += row("ignored tensors", grouped(weights.ignored));
  return text;
}

std::string file_json(const SafetensorsFile& file) {
  json::object metadata;
  for (const auto& [key, value] : file.metadata()) metadata[key] = value;
  json::array tensors;
  for (const TensorView& tensor : file.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"dtype", std::string(to_string(tensor.dtype))},
                       {"shape", json::array(tensor.shape.begin(), tensor.shape.end())},
                       {"bytes", tensor.data.size()}});
  }
  const json::object object = {
      {"file", file.path().string()}, {"metadata", metadata}, {"tensors", tensors}};
  return json::serialize(object) + "\n";
}

std::string file_text(const SafetensorsFile& file) {
  std::string text;
  for (const auto& [key, value] : file.metadata()) {
    text += row(printable(key), printable(value));
  }
  Size all;
  for (const TensorView& tensor : file.tensors()) {
    all.add(tensor);
    text += row(printable(tensor.name),
                std::string(to_string(tensor.dtype)) + " " + shape_text(tensor.shape));
  }
  return text + row(grouped(file.tensors().size()) + " tensors", size_text(all));
}

}  // namespace

std::string inspect(const path& package_or_file, InspectionFormat format) {
  const bool as_json = format == InspectionFormat::kJson;
  if (std::filesystem::is_directory(package_or_file)) {
    const Package package = open_package(package_or_file);
    return as_json ? package_json(package) : package_text(package);
  }
  const SafetensorsFile file(package_or_file);
  return as_json ? file_json(file) : file_text(file);
}

}  // namespace surtitle
