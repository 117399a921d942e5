// Chooses languages, model and policy for a client of the protocol alignatt.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "daemon/alignatt/alignatt_protocol.h"
#include "daemon/protocol/protocol.h"
#include "daemon/translation/stream_plan.h"
#include "model/engine/translator.h"

namespace surtitle::alignatt {

// The fields of the URL: ?channel=NAME&policy=SPEC&model=NAME.
struct UrlQuery {
  std::optional<std::string> channel = {};
  std::optional<std::string> policy = {};
  std::optional<std::string> model = {};
};

struct Plan {
  protocol::Start start;  // with model and policy, without a channel
  std::string direction;  // "de-en"
};

// Returns the error of a stream with the code of this protocol: "channel_busy".
Error error_of(const protocol::Error& error);

// Plans the stream of a client. `preset` is a latency (quality, balanced, low) or a policy. It
// takes precedence over the policy of the URL, and that over the latency of `overrides`. A
// latency is the default policy of the model with another parameter. A source language "auto" is
// allowed if the target has only one.
std::variant<Plan, Error> plan(const Init& init, const UrlQuery& query,
                               std::span<const ModelInfo> models, const PlanDefaults& defaults);

}  // namespace surtitle::alignatt
