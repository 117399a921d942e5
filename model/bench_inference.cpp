#include "model/bench_inference.h"

#include <stdexcept>
#include <utility>

#include "model/engine.h"
#if SURTITLE_CUDA
#include "model/cuda_inference.h"
#endif

namespace surtitle {

BenchInference make_bench_inference(const Package& package, const TranslatorOptions& options) {
  const auto precision = select_precision(options.precision);
#if SURTITLE_CUDA
  if (options.device != "cpu" && cuda_available())
    return {.inference = make_cuda_inference(package, options)};
#endif
  if (options.device == "cuda")
    throw std::invalid_argument("device 'cuda': there is none, or this build has no CUDA; use cpu");
  auto inference = std::make_unique<CpuInference>(
      package,
      CpuInference::Options{.precision = precision,
                            .threads = options.threads,
                            .slots = options.max_sentences,
                            .source_positions = source_positions(options.max_source_tokens),
                            .target_positions = target_positions(options.max_source_tokens)});
  auto* cpu = inference.get();
  return {.inference = std::move(inference), .cpu = cpu};
}

}  // namespace surtitle
