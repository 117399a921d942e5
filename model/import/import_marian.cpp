#include "model/import/import_marian.h"

#include <stdexcept>
#include <utility>

#include "model/import/converted_model.h"
#include "model/import/published_model.h"
#include "model/import/target_tags.h"
#include "model/package/package.h"
#include "model/package/safetensors_header.h"
#include "model/text/piece_list.h"
#include "model/util/atomic_file.h"

namespace surtitle {
namespace {

using std::filesystem::path;

constexpr const char* kSourceModel = "source.spm";
constexpr const char* kTargetModel = "target.spm";
constexpr const char* kSourcePieces = "source.pieces";
constexpr const char* kTargetPieces = "target.pieces";
constexpr const char* kCard = "MODEL_CARD.md";

void write(const path& file, std::string_view text) {
  AtomicFile out(file);
  out.write(text);
  out.commit();
}

std::unique_ptr<TensorFile> open_transformers(const PublishedModel& model) {
  if (model.weights.ends_with(".safetensors"))
    return read_safetensors(model.folder / model.weights);
  return read_pytorch(model.files->read(model.weights, kMaxModelBytes),
                      model.files->describe(model.weights));
}

MarianCheckpoint open_marian(const PublishedModel& model) {
  const std::string label = model.files->describe(model.weights);
  std::string bytes =
      without_gzip(model.files->read(model.weights, kMaxModelBytes), kMaxModelBytes, label);
  if (model.weights.find(".npz") != std::string::npos)
    return read_marian_npz(open_zip(std::move(bytes), label));
  return read_marian_binary(std::move(bytes), label);
}

struct Vocabularies {
  ImportedVocabulary source;
  ImportedVocabulary target;
};

Vocabularies read_vocabularies(const PublishedModel& model) {
  Vocabularies both{read_vocabulary(*model.files, model.source_vocabulary), {}};
  both.target = model.target_vocabulary == model.source_vocabulary
                    ? both.source
                    : read_vocabulary(*model.files, model.target_vocabulary);
  return both;
}

ConvertedModel convert(const PublishedModel& model, Vocabularies& vocabularies) {
  if (!model.transformers)
    return convert_marian(open_marian(model), vocabularies.source, vocabularies.target);
  const TransformersSettings settings = parse_transformers_settings(*model.files);
  for (ImportedVocabulary* vocabulary : {&vocabularies.source, &vocabularies.target}) {
    vocabulary->end = settings.end;
    vocabulary->padding = settings.padding;
  }
  const auto file = open_transformers(model);
  return convert_transformers(*file, settings, vocabularies.source, vocabularies.target);
}

std::string language(const std::string& wanted, const std::string& found, const char* flag) {
  const std::string text = wanted.empty() ? found : wanted;
  if (text.empty())
    throw std::runtime_error(std::string("the files do not name the language; add ") + flag +
                             " with a tag such as de");
  const auto tag = published_language(text);
  if (!tag)
    throw std::runtime_error("'" + printable(text) + "' is no language tag; add " + flag +
                             " with a tag such as de");
  return *tag;
}

// Returns the prefixes of a model of several target languages, that of the package's target first,
// or none if the vocabulary has no such tags.
std::vector<SourcePrefix> source_prefixes(std::vector<SourcePrefix> prefixes,
                                          const std::string& wanted, const ModelFacts& facts,
                                          const std::string& label) {
  const std::string target = wanted.empty() ? facts.target_language : wanted;
  if (choose_target(prefixes, published_language(target).value_or(target))) return prefixes;
  if (prefixes.size() < 2) return {};
  std::string allowed;
  for (const SourcePrefix& prefix : prefixes)
    allowed.append(allowed.empty() ? "" : ", ").append(prefix.target_language);
  throw std::runtime_error(printable(label) + ": has several target languages" +
                           (target.empty() ? "" : ", but not '" + printable(target) + "'") +
                           "; add --to with one of: " + allowed);
}

std::string form_of(const PublishedModel& model) {
  return (model.transformers ? "Hugging Face's MarianMT, " : "Marian, ") + model.weights;
}

std::string card_of(const MarianImport& options, const PublishedModel& model,
                    const PackageDescription& description) {
  const ModelConfig& config = description.architecture;
  const auto number = [](int value) { return std::to_string(value); };
  const std::string unknown = "not known; the publisher's terms apply";
  std::string card = "# " + description.name + "\n\n" + description.source_language + " to " +
                     description.target_language + ". Made from a published model by `surtitle " +
                     "import marian`; Surtitle did not train it.\n\n";
  card += "- Form: " + form_of(model) + "\n";
  card += "- Source: " + (options.source_url.empty() ? "not known" : options.source_url) + "\n";
  card += "- Licence: " + (description.licence.empty() ? unknown : description.licence) + "\n";
  card += "- Transformer of width " + number(config.d_model) + " with " +
          number(config.encoder_layers) + " encoder and " + number(config.decoder_layers) +
          " decoder layers\n";
  card += "- Pieces: " + number(config.source_vocabulary) + " for the source, " +
          number(config.target_vocabulary) +
          " for the target, with those of the package's beginning, "
          "padding, end and unknown\n";
  return card;
}

PackageDescription describe(const MarianImport& options, const PublishedModel& model,
                            const ModelFacts& facts, const ModelConfig& config,
                            std::vector<SourcePrefix> prefixes) {
  PackageDescription description;
  const path folder = std::filesystem::absolute(options.output).lexically_normal();
  description.name = options.name;
  if (description.name.empty())
    description.name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  description.source_language = language(options.source_language, facts.source_language, "--from");
  description.source_prefixes = std::move(prefixes);
  description.target_language =
      description.source_prefixes.empty()
          ? language(options.target_language, facts.target_language, "--to")
          : description.source_prefixes.front().target_language;
  description.architecture = config;
  description.tokenizer = {TokenizerFiles::Type::kPieceList, kSourceModel, kTargetModel,
                           kSourcePieces, kTargetPieces};
  description.policies = {"full-sentence", "alignatt"};
  description.default_policy = "alignatt:f=2";
  description.licence = options.licence.empty() ? facts.licence : options.licence;
  description.origin = options.source_url.empty() ? form_of(model) : options.source_url;
  description.training_data = "not ours; see " + std::string(kCard);
  return description;
}

std::vector<std::string> check_parts(const PublishedModel& model, const Vocabularies& vocabularies,
                                     const PackageDescription& description) {
  for (const std::string& file : {model.source_sentencepiece, model.target_sentencepiece}) {
    const std::string label = model.files->describe(file);
    sentencepiece_pieces(without_gzip(model.files->read(file, kMaxTextBytes), kMaxTextBytes, label),
                         label);
  }
  std::vector<std::string> notes;
  if (!model.shortlist.empty()) {
    const std::string label = model.files->describe(model.shortlist);
    check_shortlist(
        without_gzip(model.files->read(model.shortlist, kMaxModelBytes), kMaxModelBytes, label),
        static_cast<int>(vocabularies.source.pieces.size()),
        static_cast<int>(vocabularies.target.pieces.size()), label);
    notes.push_back(model.shortlist + " is in order, and not used.");
  }
  if (description.licence.empty())
    notes.push_back("The files have no licence; --licence and --source-url add it to " +
                    std::string(kCard) + " and model.yaml.");
  return notes;
}

}  // namespace

ImportedPackage import_marian(const MarianImport& options) {
  const PublishedModel model = find_published_model(options.input);
  std::error_code ignored;
  if (std::filesystem::equivalent(options.output, model.folder, ignored))
    throw std::runtime_error(options.output.string() +
                             ": is the folder of the model; name another one for the package");
  const ModelFacts facts = find_facts(model, options.input);
  Vocabularies vocabularies = read_vocabularies(model);
  TargetTags tags = find_target_tags(vocabularies.source);
  auto prefixes = source_prefixes(std::move(tags.prefixes), options.target_language, facts,
                                  model.files->describe(model.source_vocabulary));
  const ConvertedModel converted = convert(model, vocabularies);
  const PackageDescription description =
      describe(options, model, facts, converted.config, std::move(prefixes));
  auto notes = check_parts(model, vocabularies, description);
  if (description.source_prefixes.size() > 1)
    notes.push_back("The model has " + std::to_string(description.source_prefixes.size()) +
                    " target languages; streams choose one.");
  if (!description.source_prefixes.empty() && tags.others > 0)
    notes.push_back("Target tags without a language of their own, which are left out: " +
                    std::to_string(tags.others) + ".");

  std::filesystem::create_directories(options.output);
  const auto copy = [&](const std::string& from, const char* to) {
    write(options.output / to, without_gzip(model.files->read(from, kMaxTextBytes), kMaxTextBytes,
                                            model.files->describe(from)));
  };
  copy(model.source_sentencepiece, kSourceModel);
  copy(model.target_sentencepiece, kTargetModel);
  write(options.output / kSourcePieces,
        piece_list_text(vocabularies.source, converted.source_order));
  write(options.output / kTargetPieces,
        piece_list_text(vocabularies.target, converted.target_order));
  write(options.output / kCard, card_of(options, model, description));
  write_package(options.output, description, converted.tensors.views());
  open_package(options.output);
  return {form_of(model), description.source_language, description.target_language,
          description.licence, std::move(notes)};
}

}  // namespace surtitle
