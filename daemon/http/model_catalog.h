// The models and policies of the daemon: GET /v1/models and /v1/policies.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

// Answers [{"name", "source", "target", "targets", "policies", "default_policy", "source_forms",
// "licence", "origin"}]. "policies" are those that the model was trained for. A licence or an
// origin that is not known is "".
Result<HttpResponse> answer_models(const RoutedRequest& request);

// Answers [{"name", "usage", "meaning", "trained_as", "parameters"}], including policy auto.
//
// A parameter is {"name", "type", "minimum", "maximum", "default", "usual_maximum", "step"}, in the
// terms of JSON Schema. "type" is "number" or "integer". A bound that is not allowed itself is
// "exclusiveMinimum" or "exclusiveMaximum".
Result<HttpResponse> answer_policies(const RoutedRequest& request);

}  // namespace surtitle
