#include "daemon/evaluation/segmentation_run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/base/text.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/evaluation/text_model.h"
#include "model/engine/state_classifier.h"
#include "model/package/package.h"
#include "model/util/processors.h"

namespace surtitle {
namespace {

constexpr std::size_t kHeldOut = 10;  // every tenth sentence is held out

using Sources = std::vector<std::vector<int>>;

Sources tokenize_sources(const Package& package, const SegmentationRequest& request) {
  auto lines = read_sentences(request.source);
  if (request.sentences > 0)
    lines.resize(std::min(lines.size(), static_cast<std::size_t>(request.sentences)));
  if (lines.size() < kHeldOut) {
    throw std::runtime_error(counted(lines.size(), "sentence") + " of " + request.source.string() +
                             " are too few; allowed: at least " + std::to_string(kHeldOut));
  }
  Sources sources;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = request.source.string() + ":" + std::to_string(i + 1) + ": the sentence";
    sources.push_back(tokenize_sentence(*package.tokenizers.source, lines[i], line).tokens);
  }
  return sources;
}

double share_of_ends(const UnitExamples& examples) {
  const auto ends = std::count(examples.ends.begin(), examples.ends.end(), true);
  return examples.ends.empty()
             ? 0
             : static_cast<double>(ends) / static_cast<double>(examples.ends.size());
}

void score_quality(const std::vector<float>& classifier, const UnitExamples& examples,
                   SegmentationRun& run) {
  int predicted = 0;
  int correct = 0;
  int actual = 0;
  for (std::size_t i = 0; i < examples.ends.size(); ++i) {
    const bool is_end = classifier_probability(classifier, examples.state(i)) >= 0.5F;
    predicted += is_end ? 1 : 0;
    actual += examples.ends[i] ? 1 : 0;
    correct += is_end && examples.ends[i] ? 1 : 0;
  }
  run.held_out = examples.ends.size();
  run.held_out_share = share_of_ends(examples);
  if (predicted > 0) run.precision = static_cast<double>(correct) / predicted;
  if (actual > 0) run.recall = static_cast<double>(correct) / actual;
}

TensorView view(std::string name, std::vector<std::int64_t> shape, std::span<const float> values) {
  return {.name = std::move(name),
          .dtype = DType::kF32,
          .shape = std::move(shape),
          .data = std::as_bytes(values)};
}

void copy_beside(const Package& package, const std::filesystem::path& output,
                 const std::string& name) {
  const auto from = package.folder / name;
  if (name.empty() || !std::filesystem::exists(from)) return;
  std::filesystem::copy_file(from, output / name,
                             std::filesystem::copy_options::overwrite_existing);
}

std::string name_of(const std::filesystem::path& folder) {
  const auto absolute = std::filesystem::weakly_canonical(folder);
  return absolute.filename().string();
}

// Writes a model card: what was added to the model, then the model's own card.
void write_card(const Package& package, const std::filesystem::path& output) {
  std::ifstream own(package.folder / "MODEL_CARD.md");
  std::ofstream card(output / "MODEL_CARD.md");
  card
      << "# " << name_of(output) << "\n\n"
      << package.description.name
      << " with a classifier for the ends of meaning units, for the policy `mu`, made by `surtitle "
         "segment`.\nEverything else is unchanged from that model";
  if (own) {
    card << ", whose card follows.\n\n" << own.rdbuf();
  } else {
    card << ".\n";
  }
}

// Called before the work, so that a wrong name fails at once.
void make_folder(const std::filesystem::path& output) {
  std::error_code error;
  if (std::filesystem::is_directory(output, error) && !std::filesystem::is_empty(output, error)) {
    throw std::runtime_error(output.string() +
                             " exists and is not empty; choose another folder, or remove it");
  }
  std::filesystem::create_directories(output, error);
  if (!error && access(output.c_str(), W_OK) != 0) error = {errno, std::generic_category()};
  if (error) {
    throw std::runtime_error(output.string() + ": cannot be written: " + error.message());
  }
}

void write_with(const std::vector<float>& classifier, const Package& package,
                const std::filesystem::path& output) {
  const std::string weight = "encoder.unit_end.weight";
  const std::string bias = "encoder.unit_end.bias";
  std::vector<TensorView> tensors;
  for (const TensorView& tensor : package.weights.tensors())
    if (tensor.name != weight && tensor.name != bias) tensors.push_back(tensor);
  const std::span<const float> values(classifier);
  const auto width = static_cast<std::int64_t>(classifier.size()) - 1;
  tensors.push_back(view(weight, {1, width}, values.first(classifier.size() - 1)));
  tensors.push_back(view(bias, {1}, values.last(1)));

  auto description = package.description;
  description.name = name_of(output);
  description.architecture.meaning_units = true;
  auto& policies = description.policies;
  if (std::find(policies.begin(), policies.end(), "mu") == policies.end())
    policies.emplace_back("mu");
  for (const auto& name : {description.tokenizer.source, description.tokenizer.target})
    copy_beside(package, output, name);
  write_card(package, output);
  write_package(output, description, tensors, package.weights.metadata());
}

}  // namespace

SegmentationRun segment_package(const SegmentationRequest& request, const PartProgress& progress) {
  const Package package = open_package(request.model);
  if (!package.tokenizers.source) {
    throw std::runtime_error(request.model.string() + ": the model has no tokenizer for text");
  }
  if (std::filesystem::exists(request.output) &&
      std::filesystem::equivalent(request.model, request.output)) {
    throw std::runtime_error(request.output.string() +
                             " is the model's own folder; allowed: another folder");
  }
  Sources known;
  Sources held_out;
  std::size_t longest = 0;
  for (auto& source : tokenize_sources(package, request)) {
    longest = std::max(longest, source.size());
    const auto line = known.size() + held_out.size() + 1;
    (line % kHeldOut == 0 ? held_out : known).push_back(std::move(source));
  }
  make_folder(request.output);
  SentenceProgress labelled = progress ? progress("", known.size()) : SentenceProgress();
  const LabelOptions options{.threads = thread_count(request.threads),
                             .source_tokens = static_cast<int>(longest)};
  const UnitExamples examples = label_units(package, known, options, labelled);
  labelled = {};  // the rest has no progress
  const auto classifier = fit_unit_ends(examples);
  SegmentationRun run{
      .sentences = known.size(), .tokens = examples.ends.size(), .share = share_of_ends(examples)};
  score_quality(classifier, label_units(package, held_out, options), run);
  write_with(classifier, package, request.output);
  return run;
}

}  // namespace surtitle
