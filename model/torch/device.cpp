#include "model/torch/device.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "model/util/processors.h"

namespace surtitle {
namespace {

// Measures products of a feed-forward layer of a training batch, in FLOP/s: the best of several.
double product_rate(torch::ScalarType type) {
  torch::NoGradGuard no_gradient;
  constexpr std::int64_t kRows = 2048, kInputs = 384, kOutputs = 1536;
  constexpr int kRounds = 4;
  const auto x = torch::ones({kRows, kInputs}, type);
  const auto w = torch::ones({kOutputs, kInputs}, type);
  double best = 0;
  for (int round = 0; round <= kRounds; ++round) {
    const auto began = std::chrono::steady_clock::now();
    const auto y = torch::matmul(x, w.t());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (round > 0) best = std::max(best, 2.0 * kRows * kInputs * kOutputs / took.count());
  }
  return best;
}

}  // namespace

torch::Device select_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto") return torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  if (name != "cuda")
    throw std::invalid_argument("device '" + name + "' is unknown; allowed: auto, cpu, cuda");
  if (!torch::cuda::is_available())
    throw std::invalid_argument(
        "device 'cuda': this LibTorch finds no CUDA device; use cpu or auto");
  return torch::kCUDA;
}

Products measure_products(torch::Device device) {
  if (device.is_cuda()) return {torch::kBFloat16, 0};
  Products best{torch::kFloat, product_rate(torch::kFloat)};
  const double narrow = product_rate(torch::kBFloat16);
  // Casts cost about as much time as a rate higher by a third saves.
  return narrow > best.rate * 4 / 3 ? Products{torch::kBFloat16, narrow} : best;
}

void set_threads(int threads) { torch::set_num_threads(thread_count(threads)); }

}  // namespace surtitle
