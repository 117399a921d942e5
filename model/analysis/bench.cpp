#include "model/analysis/bench.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>

#include "model/cpu/cpu_inference.h"
#include "model/cuda/cuda_inference.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

enum class Work { kDecode, kEncode };

// Sentences in slots [first, first + count), all of one length.
struct Sentences {
  int first = 0;
  int count = 0;
  int length = 0;  // source tokens, and target tokens
};

class Driver {
 public:
  Driver(Inference& inference, const ModelConfig& config)
      : inference_(inference),
        cuda_(dynamic_cast<CudaInference*>(&inference)),
        config_(config),
        policy_(make_policy("full-sentence")) {}

  void open(const Sentences& sentences) {
    for (int i = 0; i < sentences.count; ++i) inference_.open(sentences.first + i);
    for (int at = 0; at < sentences.length; ++at) encode(sentences, sentences.count, at);
    for (int at = 0; at < sentences.length; ++at) decode(sentences, sentences.count, at);
  }

  void close(const Sentences& sentences) {
    for (int i = 0; i < sentences.count; ++i)
      inference_.close(sentences.first + i, sentences.length, sentences.length);
  }

  // Times repetitions of `call`.
  template <class Call>
  auto time(double seconds, const Call& call) {
    const auto result = time_calls(seconds, call);
    finished();
    return result;
  }
  // To be called after each measurement.
  void finished() {
    ++finished_;
    if (progress_) progress_(finished_, measurements_);
  }
  // `measurements`: number of all.
  void show(const BenchProgress& progress, std::size_t measurements) {
    progress_ = progress;
    measurements_ = static_cast<int>(measurements);
  }

  // Repeats the last token of the first `batch` sentences, which changes no state.
  void repeat(Work work, const Sentences& sentences, int batch) {
    if (work == Work::kEncode) {
      encode(sentences, batch, sentences.length - 1);
      if (cuda_) cuda_->wait();
    } else {
      decode(sentences, batch, sentences.length - 1);
    }
  }

 private:
  void encode(const Sentences& sentences, int batch, int position) {
    tokens_.clear();
    for (int slot = sentences.first; slot < sentences.first + batch; ++slot)
      tokens_.push_back({.slot = slot,
                         .position = position,
                         .token = token(slot, position, config_.source_vocabulary)});
    inference_.encode(tokens_);
  }

  void decode(const Sentences& sentences, int batch, int index) {
    steps_.clear();
    for (int slot = sentences.first; slot < sentences.first + batch; ++slot)
      steps_.push_back({.slot = slot,
                        .target_index = index,
                        .previous = token(slot, index, config_.target_vocabulary),
                        .encoded = sentences.length,
                        .min_visible = sentences.length,
                        .max_visible = sentences.length,
                        .policy = policy_.get()});
    outcomes_.resize(steps_.size());
    inference_.decode(steps_, outcomes_);
  }

  // Any token, and always the same one.
  static int token(int slot, int position, int vocabulary) {
    return (slot * 7919 + position * 104729) % vocabulary;
  }

  Inference& inference_;
  CudaInference* cuda_;  // nullptr on the CPU
  const ModelConfig& config_;
  PolicyPtr policy_;
  BenchProgress progress_;
  int finished_ = 0;
  int measurements_ = 0;
  std::vector<SourceToken> tokens_;
  std::vector<DecoderStep> steps_;
  std::vector<StepOutcome> outcomes_;
};

// Returns the resident memory of this process, or nullopt if the system does not report it.
std::optional<double> resident_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    double kilobytes = 0;
    if (word == "Rss:" && file >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

std::optional<double> growth_of_a_sentence(Driver& driver) {
  constexpr Sentences kFirst{.first = 0, .count = 64, .length = kBenchMemoryLength};
  constexpr Sentences kCounted{.first = 64, .count = 64, .length = kBenchMemoryLength};
  driver.open(kFirst);  // allocates all memory that does not belong to a sentence
  const auto before = resident_bytes();
  driver.open(kCounted);
  const auto after = resident_bytes();
  driver.close(kFirst);
  driver.close(kCounted);
  if (!before || !after) return std::nullopt;
  return (*after - *before) / kCounted.count;
}

// Returns the shares of the stages' median times.
StageShares shares_of(CpuInference& cpu, Driver& driver, Work work, const Sentences& sentences,
                      int batch, double seconds) {
  std::vector<StageTimes> calls;
  time_calls(seconds, [&] {
    cpu.time_stages(true);
    driver.repeat(work, sentences, batch);
    calls.push_back(cpu.stage_times());
  });
  cpu.time_stages(false);
  driver.finished();
  StageShares result{.batch = batch};
  const auto middle = calls.begin() + static_cast<std::ptrdiff_t>(calls.size() / 2);
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    std::nth_element(calls.begin(), middle, calls.end(),
                     [&](const auto& a, const auto& b) { return a[stage] < b[stage]; });
    result.shares[stage] = (*middle)[stage];
  }
  const double sum = std::accumulate(result.shares.begin(), result.shares.end(), 0.0);
  for (double& share : result.shares) share /= sum;
  return result;
}

struct Measured {
  Work work;
  WorkTimes& times;
};

// The two lengths of a batch are measured one after the other, so that the machine's load is alike.
void measure_growth(Driver& driver, double seconds, const std::vector<Measured>& all) {
  constexpr int kCount = kBenchStageBatches.back();
  constexpr Sentences kBrief{.first = 0, .count = kCount, .length = kBenchLength};
  constexpr Sentences kGrown{.first = kCount, .count = kCount, .length = kBenchGrown};
  driver.open(kBrief);
  driver.open(kGrown);
  for (const auto& measured : all) {
    for (const int batch : kBenchStageBatches) {
      const auto time = [&](const Sentences& sentences) {
        return driver.time(seconds, [&] { driver.repeat(measured.work, sentences, batch); });
      };
      measured.times.growth.push_back(
          {.batch = batch, .brief = time(kBrief), .grown = time(kGrown)});
    }
  }
  driver.close(kBrief);
  driver.close(kGrown);
}

// `cpu`: the Inference, or nullptr on another device.
void measure_batches(CpuInference* cpu, Driver& driver, double seconds,
                     const std::vector<int>& batches, const std::vector<Measured>& all) {
  const Sentences sentences{.first = 0, .count = batches.back(), .length = kBenchLength};
  driver.open(sentences);
  for (const auto& measured : all) {
    const auto work = measured.work;
    for (const int batch : batches)
      measured.times.batches.push_back({.batch = batch, .time = driver.time(seconds, [&] {
                                          driver.repeat(work, sentences, batch);
                                        })});
    if (!cpu) continue;
    for (const int batch : kBenchStageBatches)
      measured.times.stages.push_back(shares_of(*cpu, driver, work, sentences, batch, seconds));
  }
  driver.close(sentences);
}

}  // namespace

TranslatorOptions bench_room(TranslatorOptions options, bool cuda) {
  options.max_sentences = cuda ? 4096 : 1000;
  options.max_source_tokens = kBenchGrown;
  return options;
}

BenchTimes measure(Inference& inference, const ModelConfig& config, double seconds,
                   const BenchProgress& progress) {
  auto* cpu = dynamic_cast<CpuInference*>(&inference);
  Driver driver(inference, config);
  BenchTimes times;
  std::vector<int> batches;
  std::copy_if(kBenchBatches.begin(), kBenchBatches.end(), std::back_inserter(batches),
               [&](int batch) { return batch <= inference.slots(); });
  constexpr int kMin = 2 * kBenchStageBatches.back();
  if (inference.slots() < kMin)
    throw std::runtime_error("a benchmark needs " + std::to_string(kMin) +
                             " sentences at the same time; the device's memory has room for " +
                             std::to_string(inference.slots()));
  if (cpu) times.resident_bytes = growth_of_a_sentence(driver);
  const std::vector<Measured> all{{Work::kDecode, times.decode}, {Work::kEncode, times.encode}};
  const std::size_t stages = kBenchStageBatches.size();
  driver.show(progress, all.size() * (2 * stages + batches.size() + (cpu ? stages : 0)));
  measure_growth(driver, seconds, all);
  measure_batches(cpu, driver, seconds, batches, all);
  return times;
}

}  // namespace surtitle
