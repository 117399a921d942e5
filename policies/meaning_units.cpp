#include "policies/meaning_units.h"

#include <stdexcept>

#include "policies/parameters.h"

namespace surtitle {

MeaningUnitsPolicy::MeaningUnitsPolicy(float threshold) : threshold_(threshold) {
  if (!(threshold > 0 && threshold <= 1)) {
    throw std::invalid_argument("threshold must be above 0 and at most 1");
  }
}

std::string MeaningUnitsPolicy::spec() const {
  return "mu:threshold=" + shortest_number(threshold_);
}

}  // namespace surtitle
