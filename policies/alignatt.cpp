#include "policies/alignatt.h"

#include <stdexcept>

namespace surtitle {

AlignAttPolicy::AlignAttPolicy(int f) : f_(f) {
  if (f < 1) throw std::invalid_argument("f must be at least 1");
}

std::string AlignAttPolicy::spec() const { return "alignatt:f=" + std::to_string(f_); }

}  // namespace surtitle
