#include "model/import/published_model.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <regex>
#include <stdexcept>
#include <vector>

#include "model/import/readers.h"
#include "model/package/safetensors_header.h"
#include "model/text/language_tag.h"
#include "model/util/yaml_map.h"

namespace surtitle {
namespace {

using std::filesystem::path;
using Names = std::vector<std::string>;

[[noreturn]] void fail(const std::string& label, const std::string& what) {
  throw std::runtime_error(printable(label) + ": " + what);
}

std::string without_gz(std::string name) {
  if (name.ends_with(".gz")) name.erase(name.size() - 3);
  return name;
}

template <typename Predicate>
Names select(const ModelFiles& files, Predicate predicate) {
  Names names;
  std::copy_if(files.names().begin(), files.names().end(), std::back_inserter(names), predicate);
  return names;
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

// Returns the file of this name, also compressed, or an empty text. Archives may have it in a
// folder.
std::string file_named(const ModelFiles& files, const std::string& name) {
  for (const std::string& file : files.names()) {
    if (without_gz(path(file).filename().string()) == without_gz(name)) return file;
  }
  return "";
}

bool is_weights(const std::string& file) {
  const std::string name = without_gz(path(file).filename().string());
  if (name.find("optimizer") != std::string::npos) return false;
  return name.ends_with(".npz") || (name.ends_with(".bin") && !name.starts_with("lex") &&
                                    name != "pytorch_model.bin" && name != "training_args.bin");
}

// What Marian's settings for decoding say; lists of file names.
struct DecoderSettings {
  Names models;
  Names vocabularies;
};

Names file_names(const YAML::Node& list) {
  Names names;
  if (!list || !list.IsSequence()) return names;
  for (const YAML::Node& item : list) {
    // Paths are those of the publisher's machine.
    if (item.IsScalar()) names.push_back(path(item.Scalar()).filename().string());
  }
  return names;
}

DecoderSettings read_decoder_settings(const ModelFiles& files) {
  for (const std::string& file : files.names()) {
    const std::string name = path(file).filename().string();
    if (!name.ends_with(".yml") || name.ends_with("vocab.yml")) continue;
    const YAML::Node map = parse_yaml(files.read(file, kMaxTextBytes), files.describe(file));
    if (!map.IsMap() || !map["vocabs"]) continue;
    return {file_names(map["models"]), file_names(map["vocabs"])};
  }
  return {};
}

std::string choose_weights(const ModelFiles& files, const DecoderSettings& settings) {
  const Names candidates = select(files, is_weights);
  for (const std::string& name : settings.models) {
    if (const std::string file = file_named(files, name); !file.empty()) return file;
  }
  if (candidates.size() == 1) return candidates.front();
  if (candidates.empty())
    fail(files.label(),
         "has no model: expected config.json with model.safetensors or pytorch_model.bin, "
         "a *.npz, or a *.bin of Marian");
  fail(files.label(), "has several models: name one of " + joined(candidates));
}

// Returns the only file with one of these ends, or an empty text.
std::string only_with_end(const ModelFiles& files, std::initializer_list<std::string_view> ends) {
  const Names names = select(files, [&](const std::string& file) {
    const std::string name = without_gz(file);
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return name.ends_with(end); });
  });
  return names.size() == 1 ? names.front() : "";
}

// Returns the file that begins with `prefix` and is a SentencePiece model.
std::string sentencepiece_named(const ModelFiles& files, std::string_view prefix) {
  const Names names = select(files, [&](const std::string& file) {
    const std::string name = path(file).filename().string();
    return name.starts_with(prefix) && without_gz(name).ends_with(".spm");
  });
  return names.size() == 1 ? names.front() : "";
}

void find_vocabularies(PublishedModel& model, const DecoderSettings& settings) {
  const ModelFiles& files = *model.files;
  const std::string both = only_with_end(files, {".vocab.yml", "vocab.yml", "vocab.json"});
  const std::string joint = sentencepiece_named(files, "vocab.");
  const auto choose = [&](std::size_t side, const char* prefix, const char* end) {
    if (settings.vocabularies.size() == 2) return file_named(files, settings.vocabularies[side]);
    for (const std::string& name :
         {sentencepiece_named(files, prefix), joint, only_with_end(files, {end}), both}) {
      if (!name.empty()) return name;
    }
    return std::string();
  };
  model.source_vocabulary = choose(0, "srcvocab.", ".src.vocab");
  model.target_vocabulary = choose(1, "trgvocab.", ".trg.vocab");
  if (model.source_vocabulary.empty() || model.target_vocabulary.empty())
    fail(files.label(),
         "has no vocabulary: expected decoder.yml with 'vocabs', vocab.*.spm, or *.vocab.yml");
}

// A vocabulary that is a SentencePiece model also divides words.
std::string find_sentencepiece(const ModelFiles& files, const std::string& vocabulary,
                               const std::string& name) {
  if (without_gz(vocabulary).ends_with(".spm")) return vocabulary;
  const std::string file = file_named(files, name);
  if (!file.empty()) return file;
  const std::string codes = file_named(files, path(name).stem().string() + ".bpe");
  if (!codes.empty()) fail(files.describe(codes), "is BPE of subword-nmt; supported: " + name);
  fail(files.label(), "has no " + name);
}

PublishedModel find_transformers(std::shared_ptr<const ModelFiles> files, const path& folder) {
  PublishedModel model{files, folder, "", true, "vocab.json", "vocab.json"};
  model.weights = files->has("model.safetensors") ? "model.safetensors" : "pytorch_model.bin";
  if (files->has("target_vocab.json")) model.target_vocabulary = "target_vocab.json";
  for (const char* name : {"vocab.json", "source.spm", "target.spm"}) {
    if (!files->has(name)) fail(files->label(), std::string("has no ") + name);
  }
  model.source_sentencepiece = "source.spm";
  model.target_sentencepiece = "target.spm";
  return model;
}

bool is_transformers(const ModelFiles& files) {
  return files.has("config.json") &&
         (files.has("model.safetensors") || files.has("pytorch_model.bin"));
}

PublishedModel find_marian(std::shared_ptr<const ModelFiles> files, const path& folder,
                           const std::string& weights) {
  PublishedModel model{files, folder};
  const DecoderSettings settings = read_decoder_settings(*files);
  model.weights = weights.empty() ? choose_weights(*files, settings) : weights;
  find_vocabularies(model, settings);
  model.source_sentencepiece = find_sentencepiece(*files, model.source_vocabulary, "source.spm");
  model.target_sentencepiece = find_sentencepiece(*files, model.target_vocabulary, "target.spm");
  model.shortlist = only_with_end(*files, {".s2t.bin"});
  return model;
}

// Returns two languages of names such as opus-mt-de-en and model.deen.intgemm.alphas.bin.
ModelFacts languages_of_name(const std::string& name) {
  static const std::regex pattern(
      "(?:^|opus-mt-(?:tc-(?:big-|base-)?)?)([a-z]{2,3})-([a-z]{2,3})(?:$|[^a-z-].*)|"
      "(?:model|vocab)\\.([a-z]{2})([a-z]{2})\\..*");
  constexpr std::size_t kMaxName = 200;
  std::smatch match;
  if (name.size() > kMaxName || !std::regex_match(name, match, pattern)) return {};
  const std::size_t first = match[1].matched ? 1 : 3;
  return {match[first].str(), match[first + 1].str(), ""};
}

// Returns a field of a JSON file if it is a text.
std::string json_text(const ModelFiles& files, const std::string& file, const char* field) {
  if (!files.has(file)) return "";
  boost::system::error_code error;
  const auto document = boost::json::parse(files.read(file, kMaxTextBytes), error);
  if (error || !document.is_object()) return "";
  const boost::json::value* value = document.as_object().if_contains(field);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : "";
}

// Returns `license` of the YAML between the lines "---" at the begin of a model card.
std::string licence_of_card(const ModelFiles& files) {
  const std::string readme = file_named(files, "README.md");
  if (readme.empty()) return "";
  const std::string text = files.read(readme, kMaxTextBytes);
  const std::size_t end = text.find("\n---", 3);
  if (!text.starts_with("---") || end == std::string::npos) return "";
  try {
    const YAML::Node map = parse_yaml(text.substr(3, end - 3), files.describe(readme));
    if (map.IsMap() && map["license"] && map["license"].IsScalar()) return map["license"].Scalar();
  } catch (const std::runtime_error&) {  // a card is for people
  }
  return "";
}

// Returns the first line of LICENSE that has text.
std::string licence_of_file(const ModelFiles& files) {
  for (const char* name : {"LICENSE", "LICENSE.txt", "LICENCE"}) {
    const std::string file = file_named(files, name);
    if (file.empty()) continue;
    const std::string text = files.read(file, kMaxTextBytes);
    const std::size_t begin = text.find_first_not_of(" \t\r\n#=");
    if (begin == std::string::npos) continue;
    constexpr std::size_t kMaxLine = 200;
    return printable(
        text.substr(begin, std::min(text.find_first_of("\r\n", begin) - begin, kMaxLine)));
  }
  return "";
}

}  // namespace

PublishedModel find_published_model(const path& input) {
  if (std::filesystem::is_directory(input)) {
    std::shared_ptr<const ModelFiles> files = open_folder(input);
    return is_transformers(*files) ? find_transformers(std::move(files), input)
                                   : find_marian(std::move(files), input, "");
  }
  if (!std::filesystem::is_regular_file(input))
    fail(input.string(), "cannot be read; expected a folder or a file of a model");
  if (input.extension() == ".zip") return find_marian(open_zip(input), "", "");
  const std::string name = input.filename().string();
  const path folder = input.has_parent_path() ? input.parent_path() : path(".");
  std::shared_ptr<const ModelFiles> files = open_folder(folder);
  if (is_transformers(*files) && (name == "model.safetensors" || name == "pytorch_model.bin")) {
    auto model = find_transformers(std::move(files), folder);
    model.weights = name;
    return model;
  }
  if (!is_weights(name))
    fail(input.string(), "expected a folder, *.npz, *.bin, *.bin.gz or *.zip of a model of Marian");
  return find_marian(std::move(files), folder, name);
}

ModelFacts find_facts(const PublishedModel& model, const path& input) {
  const ModelFiles& files = *model.files;
  ModelFacts facts;
  const path place = std::filesystem::absolute(input).lexically_normal();
  const path folder = place.has_filename() ? place : place.parent_path();
  for (const std::string& name :
       {path(json_text(files, "config.json", "_name_or_path")).filename().string(),
        path(model.weights).filename().string(), folder.stem().string(), folder.filename().string(),
        folder.parent_path().filename().string()}) {
    if (facts.source_language.empty()) facts = languages_of_name(name);
  }
  const std::string source = json_text(files, "tokenizer_config.json", "source_lang");
  const std::string target = json_text(files, "tokenizer_config.json", "target_lang");
  if (canonical_language(source) && canonical_language(target)) {
    facts.source_language = source;
    facts.target_language = target;
  }
  facts.licence = licence_of_card(files);
  if (facts.licence.empty()) facts.licence = licence_of_file(files);
  return facts;
}

}  // namespace surtitle
