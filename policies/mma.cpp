#include "policies/mma.h"

#include <stdexcept>

#include "policies/parameters.h"

namespace surtitle {

MmaPolicy::MmaPolicy(float threshold) : threshold_(threshold) {
  if (!(threshold > 0 && threshold < 1)) {
    throw std::invalid_argument("threshold must be above 0 and below 1");
  }
}

std::string MmaPolicy::spec() const { return "mma:threshold=" + shortest_number(threshold_); }

}  // namespace surtitle
