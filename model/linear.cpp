#include "model/linear.h"

#include <algorithm>

#include "model/parallel.h"

namespace surtitle {
namespace {

torch::Tensor multiply(const torch::Tensor& x, const PackedMatrix& packed,
                       const torch::Tensor& bias, std::int64_t first, std::int64_t count) {
  const auto rows = x.contiguous();
  auto sizes = x.sizes().vec();
  sizes.back() = count;
  auto y = torch::empty(sizes, x.options());
  const PackedMatrix::Product whole{.x = rows.data_ptr<float>(),
                                    .rows = rows.numel() / packed.inputs(),
                                    .bias = bias.defined() ? bias.data_ptr<float>() : nullptr,
                                    .first = first,
                                    .count = count,
                                    .y = y.data_ptr<float>(),
                                    .stride = count};
  constexpr auto kPanel = PackedMatrix::kPanel;
  const auto panels = (count + kPanel - 1) / kPanel;
  share_work(panels, whole.rows * packed.inputs() * kPanel, [&](auto begin, auto end) {
    auto part = whole;
    part.first += begin * kPanel;
    part.count = std::min(end * kPanel, count) - begin * kPanel;
    part.y += begin * kPanel;
    packed.multiply(part);
  });
  return y;
}

}  // namespace

PackedMatrix pack(const torch::Tensor& weight) {
  const auto values = weight.detach().to(torch::kCPU, torch::kFloat).contiguous();
  return {values.data_ptr<float>(), values.size(0), values.size(1)};
}

torch::Tensor linear(const torch::Tensor& x, const LinearWeights& weights, std::int64_t first,
                     std::int64_t count) {
  if (!weights.packed.empty() && first % PackedMatrix::kPanel == 0)
    return multiply(x, weights.packed, weights.bias, first, count);
  const auto rows = [&](const torch::Tensor& of) {
    return of.defined() ? of.narrow(0, first, count) : of;
  };
  return torch::linear(x, rows(weights.weight), rows(weights.bias));
}

LinearImpl::LinearImpl(std::int64_t inputs, std::int64_t outputs) {
  weight_ = register_parameter("weight", torch::empty({outputs, inputs}));
  bias_ = register_parameter("bias", torch::zeros({outputs}));
  torch::nn::init::xavier_uniform_(weight_);
}

torch::Tensor LinearImpl::forward(const torch::Tensor& x) const {
  return linear(x, {weight_, bias_, packed_}, 0, weight_.size(0));
}

}  // namespace surtitle
