#include "model/torch/linear.h"

#include <vector>

namespace surtitle {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

__attribute__((target_clones("arch=x86-64-v4", "avx2", "default"))) void add_rows(
    const at::BFloat16* x, std::int64_t rows, std::int64_t width, float* sums) {
  for (std::int64_t row = 0; row < rows; ++row, x += width)
    for (std::int64_t i = 0; i < width; ++i) sums[i] += static_cast<float>(x[i]);
}

// [rows, width] -> [width], float32.
torch::Tensor sum_of_rows(const torch::Tensor& x) {
  if (x.is_cuda() || x.scalar_type() != torch::kBFloat16 || !x.is_contiguous())
    return x.sum(0, /*keepdim=*/false, torch::kFloat);
  auto sums = torch::zeros({x.size(1)}, torch::kFloat);
  add_rows(x.data_ptr<at::BFloat16>(), x.size(0), x.size(1), sums.data_ptr<float>());
  return sums;
}

struct Linear : torch::autograd::Function<Linear> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const torch::Tensor& bias) {
    const auto narrow = weight.to(x.scalar_type());
    context->save_for_backward({x, narrow});
    context->saved_data["type"] = static_cast<std::int64_t>(weight.scalar_type());
    return torch::linear(x, narrow, bias.to(x.scalar_type()));
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
    const auto& x = saved[0];
    const auto y = gradients[0].contiguous().view({-1, gradients[0].size(-1)});
    return {torch::matmul(y, saved[1]).view(x.sizes()),
            torch::matmul(y.t(), x.reshape({-1, x.size(-1)})).to(type), sum_of_rows(y).to(type)};
  }
};

}  // namespace

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight,
                     const torch::Tensor& bias) {
  // Without gradients LibTorch's own function is as fast, and it supports autocast.
  if (!torch::GradMode::is_enabled() || x.scalar_type() == weight.scalar_type())
    return torch::linear(x, weight, bias);
  return Linear::apply(x, weight, bias);
}

}  // namespace surtitle
