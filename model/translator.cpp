#include "model/translator.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "model/cpu_inference.h"
#include "model/engine.h"
#include "model/make_inference.h"
#if SURTITLE_CUDA
#include "model/cuda_inference.h"
#endif

namespace surtitle {
namespace {

// Whether the model goes to a CUDA device.
bool wants_cuda(const std::string& device) {
  if (device != "auto" && device != "cpu" && device != "cuda")
    throw std::invalid_argument("device '" + device + "' is unknown; allowed: auto, cpu, cuda");
  if (device == "cpu") return false;
#if SURTITLE_CUDA
  if (cuda_available()) return true;
  if (device == "cuda")
    throw std::invalid_argument("device 'cuda': this machine has no CUDA device; use cpu or auto");
#else
  if (device == "cuda")
    throw std::invalid_argument("device 'cuda': this build has no CUDA; use cpu or auto");
#endif
  return false;
}

int threads_of(int wanted) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return wanted > 0 ? wanted : std::max(cores, 1);
}

}  // namespace

std::unique_ptr<Inference> make_inference(const Package& package,
                                          const TranslatorOptions& options) {
  [[maybe_unused]] const bool on_cuda = wants_cuda(options.device);
#if SURTITLE_CUDA
  if (on_cuda) return make_cuda_inference(package, options);
#endif
  return std::make_unique<CpuInference>(
      package,
      CpuInference::Options{.precision = select_precision(options.precision),
                            .threads = threads_of(options.threads),
                            .slots = options.max_sentences,
                            .source_positions = source_positions(options.max_source_tokens),
                            .target_positions = target_positions(options.max_source_tokens)});
}

std::unique_ptr<Translator> load_translator(const std::filesystem::path& folder,
                                            const TranslatorOptions& wanted) {
  const auto package = open_package(folder);
  auto options = wanted;
  // A device's memory is taken when the model is loaded, 16 MB a sentence; more sentences wait.
  if (wants_cuda(options.device)) options.max_sentences = std::min(options.max_sentences, 256);
  return std::make_unique<Engine>(package.description, options, make_inference(package, options));
}

}  // namespace surtitle
