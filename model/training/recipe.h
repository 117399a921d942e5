// A training recipe: all settings that determine what `surtitle train` produces.
//
// Thread-safety: values; the functions may be called from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/package/config.h"
#include "model/text/text_form.h"

namespace surtitle {

// A form of the source and its frequency, relative to the other forms.
struct FormShare {
  TextForm form = TextForm::kWritten;
  double share = 1;
  bool operator==(const FormShare&) const = default;
};

// Two text files with the same number of lines, one sentence a line. Empty lines separate
// documents.
struct ParallelText {
  std::filesystem::path source;
  std::filesystem::path target;
  double weight = 1;  // mean number of times that an epoch draws a line; 0.5: every second line
  // One is drawn for each example; the target keeps its form.
  std::vector<FormShare> source_forms = {{TextForm::kWritten, 1}};
  double joined = 0;  // share of examples that include the next line, or the next two
};

// Weights of the latency loss (model/training/latency_loss.h); 0: none. A larger weight costs
// quality and lowers the delay. For models with an mma or gma cross-attention.
struct LatencyWeights {
  double average = 0;
  double variance = 0;
  bool any() const { return average > 0 || variance > 0; }
};

enum class Optimizer {
  kAdam,
  kMuon,  // for weight matrices of layers; Adam for all others
};

// The type of matrix products. A resumed run gives the same weights only with the same type.
enum class ProductType {
  kMeasured,  // the faster type on this machine
  kFloat32,
  kBfloat16,
};

struct TrainingOptions {
  std::vector<std::string>
      policies;                // specs; a value may be a range, "gma:delta=0.5..3": drawn per batch
  int batch_tokens = 3000;     // target (and source) tokens of a batch, padding included
  int batches_per_update = 1;  // each of its own sentence length and policy
  Optimizer optimizer = Optimizer::kAdam;
  ProductType products = ProductType::kMeasured;
  int max_tokens = 100;           // longer sentence pairs are omitted
  double learning_rate = 1.5e-3;  // the peak, reached after `warmup_updates`
  int warmup_updates = 800;       // linear; then the inverse square root of the update
  int cooldown_updates = 0;       // the last ones before `max_updates`: linear to zero
  int max_updates = 100000;
  double label_smoothing = 0.1;
  double dropout = 0.1;          // of embeddings and sub-layer outputs
  double attention_dropout = 0;  // of attention weights
  LatencyWeights latency{};
  // Weight of a labelled word in the loss of `sentence_starts`, relative to a target token.
  double sentence_start_weight = 2;
  double clip_norm = 1;  // of the whole gradient; 0: none
  double adam_beta2 = 0.98;
  int checkpoint_minutes = 5;  // time between checkpoints
  // Number of updates between checkpoints, in addition; 0: checkpoints follow checkpoint_minutes
  // alone. If set, two runs average the same checkpoints on any machine.
  int checkpoint_updates = 0;
  int average = 5;          // number of last checkpoints whose mean is the package
  int dev_sentences = 400;  // of each dev set, translated for BLEU and AL at a checkpoint; 0: none
  // Number of checkpoints without a better dev perplexity after which the cool-down begins.
  // Training stops if there is no cool-down, or if perplexity does not improve in it either.
  int patience = 10;
  std::uint64_t seed = 1;
};

struct Recipe {
  std::string name;  // of the package
  std::string source_language;
  std::string target_language;
  std::vector<ParallelText> train;
  std::vector<ParallelText> dev;
  // Without a package to begin with, its vocabularies are the joint vocabulary's size.
  ModelConfig architecture;
  TrainingOptions training;
  std::string default_policy;  // of the package and of dev scores
  std::string training_data;   // of the package, as the next two
  std::string licence;
  std::string origin;
};

// Returns the names of the policies of a package: the default first, if the training suits it, and
// those of the training.
std::vector<std::string> policies_of(const Recipe& recipe);

// Returns the forms of the sources of a recipe's training texts.
std::vector<TextForm> source_forms(const Recipe& recipe);

// Reads a recipe. Relative file names are relative to `data` if it is given, otherwise to the
// recipe's folder. Fields of the architecture that the recipe lacks have the value of `start`, the
// architecture of the package to begin with, but the encoder becomes causal. Throws
// std::runtime_error: FILE:LINE, the field, what is allowed.
Recipe load_recipe(const std::filesystem::path& file, const std::filesystem::path& data = {},
                   const std::optional<ModelConfig>& start = {});

}  // namespace surtitle
