#include "policies/lag_controller.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "policies/alignatt.h"
#include "policies/gma.h"
#include "policies/parameters.h"
#include "policies/registry.h"
#include "policies/wait_k.h"

namespace surtitle {
namespace {

constexpr std::string_view kName = "auto";

constexpr double kRecentWeight = 0.5;  // of the last sentence
// One more token of delta or k adds about 3/4 of a word of lag, one more word of f about a word
// (from 1 to 2, three words). A sentence that is already being translated does not use the new
// value, so each change corrects only half of the error.
constexpr double kGain = 0.65;

}  // namespace

// The parameter that delays a policy.
struct LagController::Steered {
  std::string_view policy;
  double low;
  double high;
  double step;
  double lag_at_0;  // about the lag of the value 0, for the first sentence
  PolicyPtr (*make)(double value);

  // Returns the nearest value that is allowed.
  double nearest(double value) const {
    return std::clamp(std::round(value / step) * step, low, high);
  }
};

const LagController::Steered* LagController::find(std::string_view policy) {
  static constexpr std::array<Steered, 3> kSteered{{
      {"gma", 0, 6, 0.25, 1,
       [](double value) -> PolicyPtr {
         return std::make_shared<GmaPolicy>(static_cast<float>(value));
       }},
      {"wait-k", 1, 20, 1, 0,
       [](double value) -> PolicyPtr {
         return std::make_shared<WaitKPolicy>(static_cast<int>(value));
       }},
      {"alignatt", 1, 12, 1, 1.5,
       [](double value) -> PolicyPtr {
         return std::make_shared<AlignAttPolicy>(static_cast<int>(value));
       }},
  }};
  const auto* found = std::find_if(kSteered.begin(), kSteered.end(),
                                   [&](const Steered& one) { return one.policy == policy; });
  return found == kSteered.end() ? nullptr : found;
}

LagController::LagController(double lag, std::string_view policy)
    : lag_(lag),
      steered_(find(policy)),
      value_(steered_->nearest(lag - steered_->lag_at_0)),
      policy_(steered_->make(value_)) {}

std::string LagController::spec() const {
  return std::string(kName) + ":lag=" + shortest_number(static_cast<float>(lag_));
}

bool LagController::update(double average_lagging) {
  recent_ = recent_ ? *recent_ + kRecentWeight * (average_lagging - *recent_) : average_lagging;
  const double moved = steered_->nearest(value_ + kGain * (lag_ - *recent_));
  if (moved == value_) return false;
  value_ = moved;
  policy_ = steered_->make(value_);
  return true;
}

PolicyRequest parse_policy_request(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  if (name != kName) {
    std::vector<std::string> names = policy_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.emplace_back(kName);
      throw unknown_policy(name, names);
    }
    return {make_policy(spec), std::nullopt};
  }
  const PolicyParameter& parameter = lag_policy_help().parameters.front();
  try {
    PolicyParameters given = colon == std::string_view::npos
                                 ? PolicyParameters()
                                 : PolicyParameters(spec.substr(colon + 1));
    const double lag = given.consume_number("lag", static_cast<float>(parameter.fallback));
    given.require_all_consumed();
    if (!(lag > parameter.low.value && lag <= parameter.high->value)) {
      throw std::invalid_argument("lag must be above 0 and at most " +
                                  shortest_number(static_cast<float>(parameter.high->value)));
    }
    return {nullptr, lag};
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("policy 'auto': " + std::string(error.what()) +
                                "; allowed: auto[:lag=NUMBER of words]");
  }
}

const PolicyHelp& lag_policy_help() {
  static const PolicyHelp help = {
      std::string(kName),
      "auto:lag=3",
      "changes delta, k or f between sentences so that the average lagging approaches lag words",
      {{"lag", /*whole=*/false, {0, false}, ParameterBound{100}, 3, 12, 0.5}},
      {"gma", "wait-k", "alignatt"}};
  return help;
}

std::string stream_policy_examples() { return policy_examples() + ", " + lag_policy_help().usage; }

}  // namespace surtitle
