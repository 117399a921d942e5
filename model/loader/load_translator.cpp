#include <algorithm>
#include <stdexcept>

#include "model/cpu/cpu_inference.h"
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

}  // namespace

bool chooses_cuda(const TranslatorOptions& options) { return cuda_for(options) != nullptr; }

std::unique_ptr<Inference> make_inference(const Package& package,
                                          const TranslatorOptions& options) {
  std::size_t prefix = 0;
  for (const auto& tokens : package.source_prefixes) prefix = std::max(prefix, tokens.size());
  const int source = source_positions(options.max_source_tokens) + static_cast<int>(prefix);
  const int target = target_positions(options.max_source_tokens);
  const bool runs_on_cuda = package.description.architecture.has_default_form() && prefix == 0;
  if (!runs_on_cuda && options.device == "cuda")
    throw std::invalid_argument("device 'cuda': " + package.folder.string() +
                                " is an imported model, which runs on the CPU; use cpu or auto");
  if (const auto* cuda = runs_on_cuda ? cuda_for(options) : nullptr)
    return std::make_unique<CudaInference>(
        package,
        CudaInference::Options{.half = options.precision != "float32",
                               .slots = options.max_sentences,
                               .source_positions = source,
                               .target_positions = target},
        *cuda);
  return std::make_unique<CpuInference>(
      package, CpuInference::Options{.precision = select_precision(options.precision),
                                     .threads = thread_count(options.threads),
                                     .slots = options.max_sentences,
                                     .source_positions = source,
                                     .target_positions = target});
}

std::unique_ptr<Translator> load_translator(const std::filesystem::path& folder,
                                            const TranslatorOptions& options) {
  const auto package = open_package(folder);
  return std::make_unique<Engine>(package.description, options, make_inference(package, options),
                                  package.tokenizers, package.source_prefixes);
}

}  // namespace surtitle
