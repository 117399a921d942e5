// Compares every cross-attention with its equations, and its gradient with finite differences.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "model/torch/attention.h"
#include "model/torch/mma.h"
#include "tests/model/support/variants.h"
#include "tests/model/torch/plain_cross_attention.h"

namespace surtitle {
namespace {

constexpr int kWidth = 12;
constexpr int kHeads = 3;
constexpr int kSource = 7;
constexpr std::int64_t kTarget = 6;

// Policy with a given visible source for each step, whatever its alignment.
class Given final : public Policy {
 public:
  explicit Given(torch::Tensor visible) : visible_(std::move(visible)) {}
  int visible_source(int target_index, double) const override {
    return visible_[target_index].item<int>();
  }
  std::string name() const override { return "given"; }
  std::string spec() const override { return "given"; }

 private:
  torch::Tensor visible_;  // int64 [T]
};

// A layer of one variant in float64, with weights of typical size, and two sentences for it.
class CrossAttentionVariant : public testing::TestWithParam<const char*> {
 protected:
  CrossAttentionVariant() {
    torch::manual_seed(11);
    const torch::NoGradGuard no_grad;
    module_->to(torch::kDouble);
    module_->eval();
    for (auto& parameter : module_->parameters())
      parameter.copy_(torch::randn(parameter.sizes(), torch::kDouble) * 0.4);
    x_ = torch::randn({2, kTarget, kWidth}, torch::kDouble);
    z_ = torch::randn({2, kSource, kWidth}, torch::kDouble);
  }

  // Computes the whole layer as a decoder does.
  torch::Tensor output(torch::Tensor* positions = nullptr) const {
    const auto query = module_->project_query(x_);
    const auto key_value = module_->project_key_value(z_);
    const auto aligned = module_->seeks() ? stops(query, key_value) : predicted(query);
    if (positions) *positions = aligned.amax(-1);
    return module_->attend({query, aligned, index_, visible_, {}}, key_value).output;
  }

  torch::Tensor predicted(const torch::Tensor& query) const {
    auto sums = module_->increments(query, index_);
    if (sums.defined() && module_->accumulates()) sums = sums.cumsum(1);
    return module_->positions(sums, index_.expand({2, kTarget}));
  }

  torch::Tensor stops(const torch::Tensor& query, const torch::Tensor& key_value) const {
    const auto energies = module_->energies(query, key_value);
    const auto lengths = torch::tensor({std::int64_t{kSource}});
    std::vector<torch::Tensor> positions;
    for (std::int64_t b = 0; b < 2; ++b)
      positions.push_back(
          whole_stops(energies.narrow(0, b, 1), Given(visible_[b]), lengths, {}).positions);
    return torch::cat(positions).to(torch::kDouble);
  }

  PlainAttention plain() const {
    PlainAttention result{attention_, kHeads, {}};
    for (const auto& item : module_->named_parameters())
      result.tensors[item.key()] = rows_of(item.value().detach());
    return result;
  }

  static PlainMatrix rows_of(const torch::Tensor& tensor) {
    const auto matrix = tensor.dim() == 1 ? tensor.unsqueeze(0) : tensor;
    PlainMatrix rows;
    for (std::int64_t row = 0; row < matrix.size(0); ++row) {
      const auto line = matrix[row].contiguous();
      rows.emplace_back(line.data_ptr<double>(), line.data_ptr<double>() + line.numel());
    }
    return rows;
  }

  const CrossAttention attention_ = read_cross_attentions(GetParam(), 1).front();
  const std::shared_ptr<CrossAttentionImpl> module_ =
      make_cross_attention(attention_, cross_tensors(attention_, kWidth, kHeads, /*leads=*/true),
                           kWidth, kHeads, /*dropout=*/0);
  const torch::Tensor index_ = torch::arange(kTarget).unsqueeze(0);
  const torch::Tensor visible_ = torch::tensor({{1, 2, 2, 5, 7, 7}, {3, 3, 4, 6, 6, 7}});
  torch::Tensor x_;  // [B, T, C]
  torch::Tensor z_;  // [B, S, C]
};

TEST_P(CrossAttentionVariant, IsItsEquations) {
  const torch::NoGradGuard no_grad;
  torch::Tensor positions;
  const auto found = output(&positions);
  for (std::int64_t b = 0; b < 2; ++b) {
    std::vector<int> visible;
    for (std::int64_t t = 0; t < kTarget; ++t) visible.push_back(visible_[b][t].item<int>());
    const auto expected = plain()(rows_of(x_[b]), rows_of(z_[b]), visible);
    for (std::int64_t t = 0; t < kTarget; ++t) {
      const auto at = static_cast<std::size_t>(t);
      EXPECT_NEAR(positions[b][t].item<double>(), expected.positions[at], 1e-9) << "step " << t;
      for (std::int64_t c = 0; c < kWidth; ++c)
        // A mask is float32, in which whole-number centres are exact.
        ASSERT_NEAR(found[b][t][c].item<double>(), expected.output[at][static_cast<std::size_t>(c)],
                    1e-9)
            << "sentence " << b << ", step " << t << ", component " << c;
    }
  }
}

TEST_P(CrossAttentionVariant, HasTheGradientOfFiniteDifferences) {
  const auto weights = torch::randn({2, kTarget, kWidth}, torch::kDouble);
  const auto loss = [&] { return (output() * weights).sum(); };
  x_.requires_grad_();
  z_.requires_grad_();
  loss().backward();
  auto inputs = module_->parameters();
  inputs.insert(inputs.end(), {x_, z_});

  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (auto& input : inputs) {
    const auto gradient = input.grad().defined() ? input.grad() : torch::zeros_like(input);
    for (int sample = 0; sample < 6; ++sample) {
      const auto at = torch::randint(input.numel(), {1}, torch::kLong).item<std::int64_t>();
      auto* value = input.data_ptr<double>() + at;
      const double before = *value;
      *value = before + kStep;
      const double above = loss().item<double>();
      *value = before - kStep;
      const double below = loss().item<double>();
      *value = before;
      EXPECT_NEAR(gradient.flatten()[at].item<double>(), (above - below) / (2 * kStep), 1e-6)
          << "of a tensor of " << input.sizes();
    }
  }
}

std::string name_of_variant(const testing::TestParamInfo<const char*>& tested) {
  return variant_name(tested.param);
}

INSTANTIATE_TEST_SUITE_P(All, CrossAttentionVariant, testing::ValuesIn(kCrossAttentions),
                         name_of_variant);

}  // namespace
}  // namespace surtitle
