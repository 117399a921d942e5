#include "model/torch/mma.h"

#include <limits>

#include "model/engine/monotonic_stops.h"
#include "model/torch/torch_shapes.h"

namespace surtitle {
namespace {

using torch::nn::functional::pad;
using torch::nn::functional::PadFuncOptions;

// Pads the last dimension with zeros at its begin and end.
torch::Tensor padded(const torch::Tensor& x, std::int64_t before, std::int64_t behind) {
  return pad(x, PadFuncOptions({before, behind}));
}

// [B, H, T, S] -> [B, H, T, T + S - 1] with row i shifted i places to the right: columns are the
// diagonals i + j.
torch::Tensor slanted(const torch::Tensor& x) {
  const auto rows = x.size(2);
  const auto flat = padded(x, 0, rows).flatten(2);
  return flat.narrow(2, 0, flat.size(2) - rows).reshape({x.size(0), x.size(1), rows, -1});
}

// The inverse of slanted(), to S columns.
torch::Tensor upright(const torch::Tensor& x, std::int64_t columns) {
  const auto rows = x.size(2);
  const auto flat = padded(x.flatten(2), 0, rows);
  return flat.view({x.size(0), x.size(1), rows, -1}).narrow(3, 0, columns);
}

// Returns p with 0 for invisible tokens, and 1 for the last visible one.
torch::Tensor bounded(const torch::Tensor& probabilities, const torch::Tensor& visible) {
  const auto j = torch::arange(probabilities.size(3), visible.options());
  const auto last = (visible - 1).unsqueeze(1).unsqueeze(3);  // [B, 1, T, 1]
  return probabilities.masked_fill(j > last, 0).masked_fill(j == last, 1);
}

}  // namespace

torch::Tensor MmaAttentionImpl::energies(const torch::Tensor& query,
                                         const torch::Tensor& key_value) const {
  return at_least_float(head_scores(query, key_value)) + tensor("energy_bias").view({-1, 1, 1});
}

torch::Tensor MmaAttentionImpl::positions(const torch::Tensor&,
                                          const torch::Tensor& target_index) const {
  return torch::full_like(target_index, std::numeric_limits<double>::infinity(), torch::kFloat)
      .unsqueeze(-1);
}

torch::Tensor MmaAttentionImpl::weights(const CrossStep& step,
                                        const torch::Tensor& key_value) const {
  if (!is_training()) {
    const auto j = torch::arange(key_value.size(1), step.positions.options());
    return (beside_source(step.positions) == j).to(key_value.scalar_type());
  }
  auto energy = energies(step.query, key_value);
  if (options_.noise > 0) energy = energy + options_.noise * torch::randn_like(energy);
  return expected_alignment(torch::sigmoid(energy), step.visible);
}

// Let q_ij be the probability that a head reaches j at step i. Then alpha_ij = p_ij q_ij and q_ij =
// (1 - p_i(j-1)) q_i(j-1) + alpha_(i-1)j: not stopped one place before, or stopped here at the step
// before. Both terms are on the diagonal before. So the elements of a diagonal are independent, and
// there is no division by a product of probabilities.
torch::Tensor expected_alignment(const torch::Tensor& probabilities, const torch::Tensor& visible) {
  const auto diagonals = slanted(bounded(probabilities, visible)).unbind(3);  // [B, H, T] each
  auto comes = torch::zeros_like(diagonals.front());
  comes.select(2, 0).fill_(1);
  std::vector<torch::Tensor> stops;
  for (const auto& p : diagonals) {
    stops.push_back(p * comes);
    const auto moved_on = padded(stops.back().narrow(2, 0, comes.size(2) - 1), 1, 0);
    comes = comes - stops.back() + moved_on;
  }
  return upright(torch::stack(stops, 3), probabilities.size(3));
}

WholeStops whole_stops(const torch::Tensor& energies, const Policy& policy,
                       const torch::Tensor& source_lengths, const torch::Tensor& min_visible) {
  const auto on_cpu = energies.detach().to(torch::kCPU, torch::kDouble).contiguous();
  const auto heads = on_cpu.size(1);
  const auto steps = on_cpu.size(2);
  const auto columns = on_cpu.size(3);
  const auto lengths = source_lengths.to(torch::kCPU).contiguous();
  const auto sizes = std::vector<std::int64_t>{on_cpu.size(0), steps};
  const auto least = min_visible.defined() ? min_visible.to(torch::kCPU).contiguous()
                                           : torch::zeros(sizes, torch::kLong);
  auto positions = torch::empty({on_cpu.size(0), steps, heads}, torch::kDouble);
  auto visible = torch::empty(sizes, torch::kLong);
  std::vector<double> stops(static_cast<std::size_t>(heads));
  for (std::int64_t row = 0; row < on_cpu.size(0); ++row) {
    const auto length = static_cast<int>(lengths.data_ptr<std::int64_t>()[row]);
    const auto* of_row = on_cpu.data_ptr<double>() + row * heads * steps * columns;
    std::fill(stops.begin(), stops.end(), 0);
    for (std::int64_t i = 0; i < steps; ++i) {
      const auto at = row * steps + i;
      const DecoderStep step{.target_index = static_cast<int>(i),
                             .encoded = length,
                             .min_visible = static_cast<int>(least.data_ptr<std::int64_t>()[at]),
                             .max_visible = length,
                             .policy = &policy};
      visible.data_ptr<std::int64_t>()[at] =
          find_stops(step, of_row + i * columns, steps * columns, stops);
      std::copy(stops.begin(), stops.end(), positions.data_ptr<double>() + at * heads);
    }
  }
  return {positions.to(energies.device(), torch::kFloat), visible.to(energies.device())};
}

}  // namespace surtitle
