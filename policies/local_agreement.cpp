#include "policies/local_agreement.h"

#include <stdexcept>

namespace surtitle {

LocalAgreementPolicy::LocalAgreementPolicy(int drafts, int every)
    : drafting_{.agreeing = drafts, .every = every} {
  if (drafts < 2) {
    throw std::invalid_argument("drafts must be at least 2");
  }
  if (every < 1) {
    throw std::invalid_argument("every must be at least 1");
  }
}

std::string LocalAgreementPolicy::spec() const {
  return "local-agreement:drafts=" + std::to_string(drafting_.agreeing) +
         ",every=" + std::to_string(drafting_.every);
}

}  // namespace surtitle
