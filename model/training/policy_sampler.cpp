#include "model/training/policy_sampler.h"

#include <algorithm>
#include <stdexcept>

#include "policies/registry.h"

namespace surtitle {

PolicySampler::PolicySampler(std::span<const std::string> specs) {
  if (specs.empty()) throw std::invalid_argument("training needs at least one policy");
  for (const auto& text : specs) {
    choices_.emplace_back(text);
    const auto name = make_policy(choices_.back().at_fraction(0))->name();
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }
}

PolicyPtr PolicySampler::draw(std::mt19937_64& random) const {
  const auto& choice = choices_[random() % choices_.size()];
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  return make_policy(choice.at_fraction(unit));
}

}  // namespace surtitle
