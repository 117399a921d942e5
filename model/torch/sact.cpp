#include "model/torch/sact.h"

#include <cmath>

#include "model/torch/torch_shapes.h"

namespace surtitle {

Weighting SactAttentionImpl::weigh(const CrossStep& step, std::int64_t) const {
  const auto of_context = torch::matmul(step.memory, tensor("temperature_c")).unsqueeze(1);
  const auto of_query = torch::matmul(step.query, tensor("temperature_s"));
  const auto beta =
      torch::tanh(at_least_float(of_context) + at_least_float(of_query));  // [B, 1, 1]
  return {.temperature = torch::exp(std::log(options_.lambda) * beta).unsqueeze(1)};
}

}  // namespace surtitle
