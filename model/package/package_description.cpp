// Reads and writes model.yaml.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "model/package/package.h"
#include "model/text/language_tag.h"
#include "model/util/utf8.h"
#include "model/util/yaml_map.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr int kFormat = 1;
constexpr int kMaxTrainedWords = 100'000;

std::string get_language(YamlMap& map, const std::string& field) {
  const auto text = map.get<std::string>(field);
  std::optional<std::string> language = canonical_language(text);
  if (!language) {
    map.fail(map.node(field),
             "'" + field + "' is '" + text + "'; allowed: a language tag such as de");
  }
  return *std::move(language);
}

// Reads a line for human readers, which pages, terminals and JSON show. A null is no text.
void get_line(YamlMap& map, const std::string& field, std::string& line) {
  if (!map.has(field) || map.node(field).IsNull()) return;
  line = map.get<std::string>(field);
  if (!is_valid_utf8(line))
    map.fail(map.node(field), "'" + field + "' is not text; allowed: UTF-8");
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
}

// Fails with the message of make_policy() if `spec` is invalid.
void check_policy(YamlMap& map, const std::string& field, const std::string& spec) {
  try {
    static_cast<void>(make_policy(spec));
  } catch (const std::invalid_argument& error) {
    map.fail(map.node(field), "'" + field + "': " + error.what());
  }
}

void get_policies(YamlMap& map, PackageDescription& description) {
  const auto& architecture = description.architecture;
  description.policies = {"full-sentence"};
  if (architecture.has_cross_attention<GmaOptions>()) description.policies = {"gma"};
  if (architecture.has_cross_attention<MmaOptions>()) description.policies = {"mma"};
  map.get_if_there("policies", description.policies);
  if (description.policies.empty())
    map.fail(map.node("policies"), "'policies' is empty; allowed: one or more");
  for (const std::string& name : description.policies) check_policy(map, "policies", name);

  description.default_policy = description.policies.front();
  map.get_if_there("default_policy", description.default_policy);
  if (map.has("default_policy")) check_policy(map, "default_policy", description.default_policy);
}

void check_file_name(const YamlMap& map, const YAML::Node& at, const std::string& field,
                     const std::string& file, const std::string& also) {
  if (file.empty() || file == "." || file == ".." || file.find('/') != std::string::npos) {
    map.fail(at, "'" + field + "' is '" + file + "'; allowed: a file beside model.yaml" + also);
  }
}

bool is_placeholder(const std::string& word) {
  return !word.empty() && word.size() <= kMaxPlaceholderBytes &&
         std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
         });
}

void get_placeholders(YamlMap& map, std::vector<std::string>& placeholders) {
  map.get_if_there("placeholders", placeholders);
  const std::set<std::string> different(placeholders.begin(), placeholders.end());
  if (placeholders.size() > kMaxPlaceholders || different.size() < placeholders.size() ||
      !std::all_of(placeholders.begin(), placeholders.end(), is_placeholder)) {
    map.fail(map.node("placeholders"),
             "'placeholders' must have at most " + std::to_string(kMaxPlaceholders) +
                 " different words of 1 to " + std::to_string(kMaxPlaceholderBytes) +
                 " characters of A-Z a-z 0-9");
  }
}

constexpr auto kTokenizerTypes = std::to_array<Named<TokenizerFiles::Type>>(
    {{"dictionary", TokenizerFiles::Type::kDictionary},
     {"sentencepiece", TokenizerFiles::Type::kPieceList}});

// The fields of a tokenizer that is a map.
struct FileField {
  const char* name;
  std::string TokenizerFiles::*file;
  bool only_lists;
};
constexpr auto kTokenizerFiles =
    std::to_array<FileField>({{"source", &TokenizerFiles::source, false},
                              {"target", &TokenizerFiles::target, false},
                              {"source_pieces", &TokenizerFiles::source_pieces, true},
                              {"target_pieces", &TokenizerFiles::target_pieces, true}});

// Returns the fields that a tokenizer of this type has.
std::vector<FileField> fields_of(TokenizerFiles::Type type) {
  std::vector<FileField> fields(kTokenizerFiles.begin(), kTokenizerFiles.end());
  if (type != TokenizerFiles::Type::kPieceList)
    std::erase_if(fields, [](const FileField& field) { return field.only_lists; });
  return fields;
}

// Reads "sentencepiece.model", "" or {type: TYPE, source: FILE, target: FILE, ...}.
void get_tokenizer(YamlMap& map, const std::string& file, TokenizerFiles& files) {
  if (!map.has("tokenizer")) return;
  const YAML::Node node = map.node("tokenizer");
  if (node.IsMap()) {
    YamlMap fields(node, file);
    static_cast<void>(fields.node("type"));
    fields.get_named_if_there("type", files.type, kTokenizerTypes);
    for (const FileField& field : fields_of(files.type)) {
      files.*field.file = fields.get<std::string>(field.name);
      check_file_name(fields, fields.node(field.name), field.name, files.*field.file, "");
    }
    fields.reject_unknown();
    return;
  }
  const auto name = map.get<std::string>("tokenizer");
  if (name.empty()) {
    files = {TokenizerFiles::Type::kNone, "", ""};
    return;
  }
  check_file_name(map, node, "tokenizer", name,
                  ", \"\" for none, or {type: dictionary, source: FILE, target: FILE}");
  files = {TokenizerFiles::Type::kSentencepiece, name, name};
}

// Reads [[LAYER, HEAD], ...].
void get_alignment_heads(YamlMap& map, PackageDescription& description) {
  if (!map.has("alignment_heads")) return;
  const auto& architecture = description.architecture;
  const auto node = map.node("alignment_heads");
  const auto fail = [&] {
    map.fail(node, "'alignment_heads' is no list of [layer, head]; allowed: layers below " +
                       std::to_string(architecture.decoder_layers) + ", heads below " +
                       std::to_string(architecture.heads));
  };
  if (!node.IsSequence()) fail();
  for (const auto& pair : node) {
    AlignmentHead head{-1, -1};
    if (!pair.IsSequence() || pair.size() != 2 ||
        !YAML::convert<int>::decode(pair[0], head.layer) ||
        !YAML::convert<int>::decode(pair[1], head.head))
      fail();
    if (head.layer < 0 || head.layer >= architecture.decoder_layers || head.head < 0 ||
        head.head >= architecture.heads)
      fail();
    description.alignment_heads.push_back(head);
  }
}

// Throws if a language occurs twice, has no pieces, or if none is the target language.
void get_source_prefixes(YamlMap& map, PackageDescription& description) {
  if (!map.has("source_prefix")) return;
  auto& prefixes = description.source_prefixes;
  const auto fail = [&](const YAML::Node& at, const std::string& found) {
    map.fail(at, "'source_prefix' " + found +
                     "; allowed: each target language once, with one or more pieces");
  };
  const YAML::Node node = map.node("source_prefix");
  if (!node.IsMap()) fail(node, "is no map");
  for (const auto& entry : node) {
    const auto language = canonical_language(entry.first.Scalar());
    if (!language) fail(entry.first, "has '" + entry.first.Scalar() + "', which is no language");
    const bool twice = std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& prefix) {
      return prefix.target_language == *language;
    });
    if (twice) fail(entry.first, "has '" + *language + "' twice");
    auto& prefix = prefixes.emplace_back(SourcePrefix{*language, {}});
    if (entry.second.IsSequence())
      for (const auto& piece : entry.second) prefix.pieces.push_back(piece.Scalar());
    if (prefix.pieces.empty()) fail(entry.second, "has no pieces for '" + *language + "'");
  }
  const auto target = std::find_if(prefixes.begin(), prefixes.end(), [&](const auto& prefix) {
    return prefix.target_language == description.target_language;
  });
  if (target == prefixes.end())
    fail(node, "lacks '" + description.target_language + "', the target_language");
  std::rotate(prefixes.begin(), target, target + 1);
}

std::string quoted(const std::string& text) {
  YAML::Emitter emitter;
  emitter << YAML::DoubleQuoted << text;
  return emitter.c_str();
}

std::string to_yaml(const TokenizerFiles& files) {
  const std::string type = name_of(files.type, kTokenizerTypes);
  if (type.empty()) return quoted(files.source);
  std::string text = "{type: " + type;
  for (const FileField& field : fields_of(files.type))
    text.append(", ").append(field.name).append(": ").append(quoted(files.*field.file));
  return text + "}";
}

}  // namespace

std::vector<AlignmentHead> PackageDescription::aligning_heads() const {
  if (!alignment_heads.empty()) return alignment_heads;
  std::vector<AlignmentHead> heads;
  for (int head = 0; head < architecture.heads; ++head)
    heads.push_back({architecture.decoder_layers - 1, head});
  return heads;
}

PackageDescription load_description(const std::filesystem::path& file) {
  const YAML::Node document = load_yaml(file);
  YamlMap map(document, file.string());
  const int format = map.get<int>("format");
  if (format != kFormat) {
    map.fail(map.node("format"),
             "'format' is " + std::to_string(format) + "; allowed: " + std::to_string(kFormat));
  }
  PackageDescription description;
  description.name = std::filesystem::absolute(file).parent_path().filename().string();
  map.get_if_there("name", description.name);
  description.source_language = get_language(map, "source_language");
  description.target_language = get_language(map, "target_language");
  description.architecture = parse_model_config(map.node("architecture"), file.string());
  get_tokenizer(map, file.string(), description.tokenizer);
  get_source_prefixes(map, description);
  get_policies(map, description);
  map.get_names_if_there("source_forms", description.source_forms, text_form_by_name,
                         std::string(kTextForms));
  map.get_if_there("trained_words", description.trained_words, 1, kMaxTrainedWords);
  get_alignment_heads(map, description);
  get_placeholders(map, description.placeholders);
  get_line(map, "training_data", description.training_data);
  get_line(map, "licence", description.licence);
  get_line(map, "origin", description.origin);
  map.reject_unknown();
  return description;
}

std::string to_yaml(const PackageDescription& description) {
  std::ostringstream text;
  text << "format: " << kFormat << '\n';
  if (!description.name.empty()) text << "name: " << quoted(description.name) << '\n';
  text << "source_language: " << quoted(description.source_language) << '\n'
       << "target_language: " << quoted(description.target_language) << '\n'
       << "architecture:\n"
       << to_yaml(description.architecture)  //
       << "tokenizer: " << to_yaml(description.tokenizer) << '\n';
  if (!description.source_prefixes.empty()) text << "source_prefix:\n";
  for (const auto& [language, pieces] : description.source_prefixes) {
    text << "  " << quoted(language) << ": [";
    const char* separator = "";
    for (const std::string& piece : pieces) text << std::exchange(separator, ", ") << quoted(piece);
    text << "]\n";
  }
  if (!description.policies.empty()) text << "policies:\n";
  for (const std::string& policy : description.policies) text << "  - " << quoted(policy) << '\n';
  if (!description.default_policy.empty()) {
    text << "default_policy: " << quoted(description.default_policy) << '\n';
  }
  text << "source_forms: [";
  for (const TextForm form : description.source_forms) {
    text << (form == description.source_forms.front() ? "" : ", ") << name(form);
  }
  text << "]\n"
       << "trained_words: " << description.trained_words << '\n';
  if (!description.alignment_heads.empty()) {
    text << "alignment_heads: [";
    const char* separator = "";
    for (const auto& [layer, head] : description.alignment_heads) {
      text << separator << '[' << layer << ", " << head << ']';
      separator = ", ";
    }
    text << "]\n";
  }
  if (!description.placeholders.empty()) {
    text << "placeholders: [";
    for (const std::string& word : description.placeholders) {
      text << (word == description.placeholders.front() ? "" : ", ") << quoted(word);
    }
    text << "]\n";
  }
  text << "training_data: " << quoted(description.training_data) << '\n'
       << "licence: " << quoted(description.licence) << '\n';
  if (!description.origin.empty()) text << "origin: " << quoted(description.origin) << '\n';
  return text.str();
}

}  // namespace surtitle
