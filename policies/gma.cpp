#include "policies/gma.h"

#include <cmath>
#include <stdexcept>

#include "policies/parameters.h"

namespace surtitle {

GmaPolicy::GmaPolicy(float delta) : delta_(delta) {
  if (!std::isfinite(delta) || delta < 0) {
    throw std::invalid_argument("delta must be at least 0");
  }
  delta_ += 0.0F;  // -0 becomes 0, so that spec() never shows a sign
}

int GmaPolicy::visible_source(int /*target_index*/, double aligned_position) const {
  // A float32 sum: 1.1 + 0.9 is 2 here and slightly more in double.
  const float sum = static_cast<float>(aligned_position) + delta_;
  const float count = std::ceil(sum);
  if (!(count > 1)) {  // also if the position is NaN
    return 1;
  }
  // float(kWholeSource) rounds up to 2^31, which an int cannot hold.
  return count < static_cast<float>(kWholeSource) ? static_cast<int>(count) : kWholeSource;
}

std::string GmaPolicy::spec() const { return "gma:delta=" + shortest_number(delta_); }

}  // namespace surtitle
