#include "daemon/http/model_catalog.h"

#include "daemon/base/json_writer.h"
#include "policies/lag_controller.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

std::string to_json(const ModelInfo& model) {
  return JsonWriter()
      .field("name", model.name)
      .field("source", model.source_language)
      .field("target", model.target_language)
      .raw_field("targets", json_array(model.target_languages(), json_string))
      .raw_field("policies", json_array(model.policies, json_string))
      .field("default_policy", model.default_policy)
      .raw_field("source_forms", json_array(model.source_forms,
                                            [](TextForm form) { return json_string(name(form)); }))
      .field("licence", model.licence)
      .field("origin", model.origin)
      .finish();
}

std::string to_json(const PolicyParameter& parameter) {
  JsonWriter json;
  json.field("name", parameter.name)
      .field("type", parameter.whole ? "integer" : "number")
      .field(parameter.low.allowed ? "minimum" : "exclusiveMinimum", parameter.low.value);
  if (parameter.high) {
    json.field(parameter.high->allowed ? "maximum" : "exclusiveMaximum", parameter.high->value);
  }
  return json.field("default", parameter.fallback)
      .field("usual_maximum", parameter.usual_high)
      .field("step", parameter.step)
      .finish();
}

std::string to_json(const PolicyHelp& policy) {
  return JsonWriter()
      .field("name", policy.name)
      .field("usage", policy.usage)
      .field("meaning", policy.meaning)
      .raw_field("trained_as", json_array(policy.training_family, json_string))
      .raw_field("parameters",
                 json_array(policy.parameters,
                            [](const PolicyParameter& parameter) { return to_json(parameter); }))
      .finish();
}

}  // namespace

Result<HttpResponse> answer_models(const RoutedRequest& request) {
  return json_response(http::status::ok,
                       json_array(request.context.server.models().infos(),
                                  [](const ModelInfo& model) { return to_json(model); }));
}

Result<HttpResponse> answer_policies(const RoutedRequest& /*request*/) {
  std::vector<PolicyHelp> policies = policy_help();
  policies.push_back(lag_policy_help());
  return json_response(http::status::ok, json_array(policies, [](const PolicyHelp& policy) {
                         return to_json(policy);
                       }));
}

}  // namespace surtitle
