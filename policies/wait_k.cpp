#include "policies/wait_k.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "policies/parameters.h"

namespace surtitle {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

}  // namespace

WaitKPolicy::WaitKPolicy(int k, float catchup) : k_(k), catchup_(catchup) {
  if (k < 1) {
    throw std::invalid_argument("k must be at least 1");
  }
  if (!(catchup >= 0 && catchup < 1)) {
    throw std::invalid_argument("catchup must be at least 0 and below 1");
  }
  catchup_ += 0.0F;  // -0 becomes 0
  millionths_ =
      std::min<std::int64_t>(std::llround(static_cast<double>(catchup_) * kMillion), kMillion - 1);
}

int WaitKPolicy::visible_source(int target_index, double /*aligned_position*/) const {
  if (target_index >= kWholeSource - k_) {
    return kWholeSource;
  }
  const auto left_out = millionths_ * (std::int64_t{target_index} + 1) / kMillion;
  return std::max(1, k_ + target_index - static_cast<int>(left_out));
}

std::string WaitKPolicy::spec() const {
  std::string text = "wait-k:k=" + std::to_string(k_);
  if (catchup_ > 0) {
    text += ",catchup=" + shortest_number(catchup_);
  }
  return text;
}

}  // namespace surtitle
