#include "model/torch/dropout.h"

#include <cstdint>

namespace surtitle {
namespace {

// The "lowbias32" integer hash: every bit of the index reaches every bit of the result.
inline std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

template <typename Scalar>
__attribute__((target_clones("arch=x86-64-v4", "avx2", "default"))) void scale_kept(
    const Scalar* in, Scalar* out, std::int64_t size, std::uint32_t seed, std::uint32_t threshold,
    float scale) {
  for (std::int64_t i = 0; i < size; ++i) {
    const float factor = hash(static_cast<std::uint32_t>(i) ^ seed) >= threshold ? scale : 0.0F;
    out[i] = static_cast<Scalar>(static_cast<float>(in[i]) * factor);
  }
}

torch::Tensor mask_and_scale(const torch::Tensor& x, std::uint32_t seed, double probability) {
  const auto in = x.contiguous();
  auto out = torch::empty_like(in);
  const auto threshold = static_cast<std::uint32_t>(probability * 4294967295.0);
  const auto scale = static_cast<float>(1 / (1 - probability));
  if (in.scalar_type() == torch::kBFloat16) {
    scale_kept(in.data_ptr<at::BFloat16>(), out.data_ptr<at::BFloat16>(), in.numel(), seed,
               threshold, scale);
  } else {
    scale_kept(in.data_ptr<float>(), out.data_ptr<float>(), in.numel(), seed, threshold, scale);
  }
  return out;
}

struct HashedDropout : torch::autograd::Function<HashedDropout> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               double probability) {
    const auto seed =
        torch::randint(0, std::int64_t{1} << 32, {1}, torch::kLong).item<std::int64_t>();
    context->saved_data["seed"] = seed;
    context->saved_data["probability"] = probability;
    return mask_and_scale(x, static_cast<std::uint32_t>(seed), probability);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto seed = static_cast<std::uint32_t>(context->saved_data["seed"].toInt());
    return {mask_and_scale(gradients[0], seed, context->saved_data["probability"].toDouble()), {}};
  }
};

}  // namespace

torch::Tensor dropout(const torch::Tensor& x, double probability) {
  if (probability <= 0) return x;
  const bool hashed = x.device().is_cpu() &&
                      (x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kBFloat16);
  return hashed ? HashedDropout::apply(x, probability) : torch::dropout(x, probability, true);
}

}  // namespace surtitle
