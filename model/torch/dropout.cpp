#include "model/torch/dropout.h"

namespace surtitle {
namespace {

// The "lowbias32" integer hash: every bit of the index affects every bit of the result.
inline std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

thread_local std::uint64_t state = 0;

std::int64_t draw_seed() {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::int64_t>(state >> 32);
}

// out = base + in * mask; without a base: in * mask.
template <typename Scalar>
__attribute__((target_clones("arch=x86-64-v4", "avx2", "default"))) void scale_kept(
    const Scalar* base, const Scalar* in, Scalar* out, std::int64_t size, std::uint32_t seed,
    std::uint32_t threshold, float scale) {
  for (std::int64_t i = 0; i < size; ++i) {
    const float factor = hash(static_cast<std::uint32_t>(i) ^ seed) >= threshold ? scale : 0.0F;
    const float before = base ? static_cast<float>(base[i]) : 0.0F;
    out[i] = static_cast<Scalar>(before + static_cast<float>(in[i]) * factor);
  }
}

template <typename Scalar>
void scale_kept(const torch::Tensor& base, const torch::Tensor& in, torch::Tensor& out,
                std::int64_t seed, double probability) {
  const auto threshold = static_cast<std::uint32_t>(probability * 4294967295.0);
  const auto scale = static_cast<float>(1 / (1 - probability));
  scale_kept(base.defined() ? base.data_ptr<Scalar>() : nullptr, in.data_ptr<Scalar>(),
             out.data_ptr<Scalar>(), in.numel(), static_cast<std::uint32_t>(seed), threshold,
             scale);
}

torch::Tensor mask_and_scale(const torch::Tensor& base, const torch::Tensor& x, std::int64_t seed,
                             double probability) {
  const auto in = x.contiguous();
  const auto added = base.defined() ? base.contiguous() : base;
  auto out = torch::empty_like(in);
  if (in.scalar_type() == torch::kBFloat16) {
    scale_kept<at::BFloat16>(added, in, out, seed, probability);
  } else {
    scale_kept<float>(added, in, out, seed, probability);
  }
  return out;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void save(AutogradContext* context, std::int64_t seed, double probability) {
  context->saved_data["seed"] = seed;
  context->saved_data["probability"] = probability;
}

torch::Tensor masked_as_saved(AutogradContext* context, const torch::Tensor& gradient) {
  return mask_and_scale({}, gradient, context->saved_data["seed"].toInt(),
                        context->saved_data["probability"].toDouble());
}

struct HashedDropout : torch::autograd::Function<HashedDropout> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               double probability) {
    const auto seed = draw_seed();
    save(context, seed, probability);
    return mask_and_scale({}, x, seed, probability);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {masked_as_saved(context, gradients[0]), {}};
  }
};

struct AddHashedDropout : torch::autograd::Function<AddHashedDropout> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& base,
                               const torch::Tensor& x, double probability) {
    const auto seed = draw_seed();
    save(context, seed, probability);
    return mask_and_scale(base, x, seed, probability);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0], masked_as_saved(context, gradients[0]), {}};
  }
};

bool is_hashed(const torch::Tensor& x) {
  return x.device().is_cpu() &&
         (x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kBFloat16);
}

}  // namespace

void seed_dropout(std::uint64_t seed) { state = seed; }

torch::Tensor dropout(const torch::Tensor& x, double probability) {
  if (probability <= 0) return x;
  return is_hashed(x) ? HashedDropout::apply(x, probability) : torch::dropout(x, probability, true);
}

torch::Tensor add_dropped(const torch::Tensor& x, const torch::Tensor& y, double probability) {
  if (probability > 0 && is_hashed(x) && x.scalar_type() == y.scalar_type())
    return AddHashedDropout::apply(x, y, probability);
  return x + dropout(y, probability);
}

}  // namespace surtitle
