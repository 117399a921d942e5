#include "policies/static_rw.h"

#include <stdexcept>

namespace surtitle {

StaticRwPolicy::StaticRwPolicy(int s, int rw) : s_(s), rw_(rw) {
  if (s < 1) {
    throw std::invalid_argument("s must be at least 1");
  }
  if (rw < 1) {
    throw std::invalid_argument("rw must be at least 1");
  }
}

int StaticRwPolicy::visible_source(int target_index, double /*aligned_position*/) const {
  const int later = target_index - target_index % rw_;
  return later < kWholeSource - s_ ? later + s_ : kWholeSource;
}

std::string StaticRwPolicy::spec() const {
  return "static-rw:s=" + std::to_string(s_) + ",rw=" + std::to_string(rw_);
}

}  // namespace surtitle
