// What a stream can be started with, for programs that offer a choice: GET /v1/models and
// /v1/policies.
//
// Thread-safety: pure functions.
#pragma once

#include <span>
#include <string>

#include "model/engine/translator.h"

namespace surtitle {

// [{"name", "source", "target", "policies" that it was trained for, "default_policy",
// "source_forms"}]
std::string models_json(std::span<const ModelInfo> models);

// [{"name", "usage", "meaning", "trained_as", "parameters"}], policy auto among them. A parameter
// is
// {"name", "type", "minimum", "maximum", "default", "usual_maximum", "step"} with JSON Schema's
// words: "type" is "number" or "integer", and a bound that is not allowed itself is
// "exclusiveMinimum" or "exclusiveMaximum".
std::string policies_json();

}  // namespace surtitle
