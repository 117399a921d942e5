#include "policies/lag_controller.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "policies/gma.h"
#include "policies/parameters.h"
#include "policies/registry.h"
#include "policies/wait_k.h"

namespace surtitle {
namespace {

constexpr std::string_view kName = "auto";

constexpr double kRecentWeight = 0.5;  // of the last sentence
// One more token of delta or k adds about 3/4 of a word of lag. A sentence that is already being
// translated does not use the new value, so each change corrects only half of the error.
constexpr double kGain = 0.65;

struct Range {
  double low;
  double high;
  double step;
};
constexpr Range kDelta{0, 6, 0.25};
constexpr Range kK{1, 20, 1};

}  // namespace

LagController::LagController(double lag, std::string_view policy)
    : lag_(lag), gma_(policy == "gma"), value_(gma_ ? std::max(0.0, lag - 1) : std::round(lag)) {
  const Range range = gma_ ? kDelta : kK;
  value_ = std::clamp(std::round(value_ / range.step) * range.step, range.low, range.high);
  make_policy();
}

bool LagController::can_steer(std::string_view policy) {
  return policy == "gma" || policy == "wait-k";
}

std::string LagController::spec() const {
  return std::string(kName) + ":lag=" + shortest_number(static_cast<float>(lag_));
}

bool LagController::update(double average_lagging) {
  recent_ = recent_ ? *recent_ + kRecentWeight * (average_lagging - *recent_) : average_lagging;
  const Range range = gma_ ? kDelta : kK;
  const double wanted = value_ + kGain * (lag_ - *recent_);
  const double moved =
      std::clamp(std::round(wanted / range.step) * range.step, range.low, range.high);
  if (moved == value_) return false;
  value_ = moved;
  make_policy();
  return true;
}

void LagController::make_policy() {
  if (gma_) {
    policy_ = std::make_shared<GmaPolicy>(static_cast<float>(value_));
  } else {
    policy_ = std::make_shared<WaitKPolicy>(static_cast<int>(value_));
  }
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
      "changes delta or k between sentences so that the average lagging approaches lag words",
      {{"lag", /*whole=*/false, {0, false}, ParameterBound{100}, 3, 12, 0.5}},
      {"gma", "wait-k"}};
  return help;
}

std::string stream_policy_examples() { return policy_examples() + ", " + lag_policy_help().usage; }

}  // namespace surtitle
