#include "policies/wait_k.h"

#include <stdexcept>

namespace surtitle {

WaitKPolicy::WaitKPolicy(int k) : k_(k) {
  if (k < 1) {
    throw std::invalid_argument("k must be at least 1");
  }
}

int WaitKPolicy::visible_source(int target_index, double /*aligned_position*/) const {
  return target_index < kWholeSource - k_ ? target_index + k_ : kWholeSource;
}

std::string WaitKPolicy::spec() const { return "wait-k:k=" + std::to_string(k_); }

}  // namespace surtitle
