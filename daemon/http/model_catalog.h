// The models and policies of the daemon: GET /v1/models and /v1/policies.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <span>
#include <string>

#include "model/engine/translator.h"

namespace surtitle {

// Returns [{"name", "source", "target", "policies", "default_policy", "source_forms"}]. "policies"
// are those that the model was trained for.
std::string models_json(std::span<const ModelInfo> models);

// Returns [{"name", "usage", "meaning", "trained_as", "parameters"}], including policy auto.
//
// A parameter is {"name", "type", "minimum", "maximum", "default", "usual_maximum", "step"}, in the
// terms of JSON Schema: "type" is "number" or "integer", and a bound that is not allowed itself is
// "exclusiveMinimum" or "exclusiveMaximum".
std::string policies_json();

}  // namespace surtitle
