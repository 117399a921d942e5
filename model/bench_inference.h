// An Inference for benchmarks, as load_translator() makes one, without the engine around it.
#pragma once

#include <memory>

#include "model/cpu_inference.h"
#include "model/package.h"
#include "model/translator.h"

namespace surtitle {

struct BenchInference {
  std::unique_ptr<Inference> inference;
  CpuInference* cpu = nullptr;  // the same one where it runs on the CPU
};

// With options.max_sentences slots for sentences of options.max_source_tokens; device and precision
// as in TranslatorOptions. Throws std::invalid_argument.
BenchInference make_bench_inference(const Package& package, const TranslatorOptions& options);

}  // namespace surtitle
