#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "model/cpu/cpu_inference.h"
#include "model/cpu/work_shares.h"
#include "model/cuda/cuda_inference.h"
#include "model/cuda/cuda_loader.h"
#include "model/engine/engine.h"
#include "model/engine/translator.h"
#include "model/loader/make_inference.h"
#include "model/util/processors.h"

namespace surtitle {
namespace {

// Returns the device's functions. Returns nullptr if the options name the CPU, or leave the choice
// and there is no device.
const cuda_module::Functions* cuda_for(const TranslatorOptions& options) {
  const auto& device = options.device;
  if (device != "auto" && device != "cpu" && device != "cuda")
    throw std::invalid_argument("device '" + device + "' is unknown; allowed: auto, cpu, cuda");
  const bool bytes = options.precision == "int8";
  if (device == "cuda" && bytes)
    throw std::invalid_argument(
        "precision 'int8' is not supported on CUDA; allowed: auto, float32");
  if (device == "cpu" || bytes) return nullptr;
  try {
    return &cuda_functions();
  } catch (const std::runtime_error& error) {
    if (device == "auto") return nullptr;
    throw std::invalid_argument(std::string("device 'cuda': ") + error.what() +
                                "; use cpu or auto");
  }
}

int longest_prefix(const Package& package) {
  std::size_t longest = 0;
  for (const auto& tokens : package.source_prefixes) longest = std::max(longest, tokens.size());
  return static_cast<int>(longest);
}

// Returns nullptr if the options and the package choose the CPU.
std::unique_ptr<Inference> make_cuda_inference(const Package& package,
                                               const TranslatorOptions& options) {
  const bool runs_on_cuda =
      package.description.architecture.has_default_form() && longest_prefix(package) == 0;
  if (!runs_on_cuda && options.device == "cuda")
    throw std::invalid_argument("device 'cuda': " + package.folder.string() +
                                " is an imported model, which runs on the CPU; use cpu or auto");
  const auto* cuda = runs_on_cuda ? cuda_for(options) : nullptr;
  if (cuda == nullptr) return nullptr;
  return std::make_unique<CudaInference>(
      package,
      CudaInference::Options{.half = options.precision != "float32",
                             .slots = options.max_sentences,
                             .source_positions = source_positions(options.max_source_tokens),
                             .target_positions = target_positions(options.max_source_tokens)},
      *cuda);
}

CpuInference::Options cpu_options(const Package& package, const TranslatorOptions& options) {
  return {.precision = select_precision(options.precision),
          .threads = thread_count(options.threads),
          .slots = options.max_sentences,
          .source_positions = source_positions(options.max_source_tokens) + longest_prefix(package),
          .target_positions = target_positions(options.max_source_tokens)};
}

}  // namespace

bool chooses_cuda(const TranslatorOptions& options) { return cuda_for(options) != nullptr; }

std::unique_ptr<Inference> make_inference(const Package& package,
                                          const TranslatorOptions& options) {
  if (auto inference = make_cuda_inference(package, options)) return inference;
  return std::make_unique<CpuInference>(package, cpu_options(package, options));
}

std::vector<std::unique_ptr<Inference>> make_inferences(const Package& package,
                                                        const TranslatorOptions& options) {
  std::vector<std::unique_ptr<Inference>> inferences;
  if (auto inference = make_cuda_inference(package, options)) {
    inferences.push_back(std::move(inference));
    return inferences;
  }
  auto each = cpu_options(package, options);
  const int threads = each.threads;
  const int count = shares_for(static_cast<std::size_t>(each.slots), threads);
  const auto weights = CpuInference::load_weights(package, each);
  for (int i = 0; i < count; ++i) {
    each.threads = threads / count + (i < threads % count ? 1 : 0);
    each.slots = options.max_sentences / count + (i < options.max_sentences % count ? 1 : 0);
    inferences.push_back(std::make_unique<CpuInference>(weights, each));
  }
  return inferences;
}

std::unique_ptr<Translator> load_translator(const std::filesystem::path& folder,
                                            const TranslatorOptions& options) {
  const auto package = open_package(folder);
  return std::make_unique<Engine>(package.description, options, make_inference(package, options),
                                  package.tokenizers, package.source_prefixes);
}

std::vector<std::unique_ptr<Translator>> load_translators(const std::filesystem::path& folder,
                                                          const TranslatorOptions& options) {
  const auto package = open_package(folder);
  std::vector<std::unique_ptr<Translator>> translators;
  for (auto& inference : make_inferences(package, options))
    translators.push_back(std::make_unique<Engine>(package.description, options,
                                                   std::move(inference), package.tokenizers,
                                                   package.source_prefixes));
  return translators;
}

}  // namespace surtitle
