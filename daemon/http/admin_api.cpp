#include "daemon/http/admin_api.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "daemon/base/json_writer.h"
#include "daemon/base/log.h"
#include "daemon/base/text.h"
#include "daemon/base/url_parts.h"
#include "daemon/streams/options_from_config.h"
#include "daemon/streams/stream.h"
#include "policies/lag_controller.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr std::size_t kStreams = 1000;  // listed without `limit`

// Fields of the configuration that may be changed, by group and name in the JSON.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSettings{
    {{"admission", "max_delay_p95"}, {"admission", "max_load"}, {"log", "level"}}};

const ConfigField& config_field(const std::string& name) {
  const auto& fields = config_fields();
  return *std::find_if(fields.begin(), fields.end(),
                       [&](const ConfigField& field) { return field.name == name; });
}

std::string dotted(std::string_view group, std::string_view name) {
  return std::string(group).append(".").append(name);
}

// Returns the value as a configuration file or a flag would have it.
std::string plain_text(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

// A change of settings. Its methods throw std::invalid_argument with one sentence on an error.
class Change {
 public:
  Change(DaemonConfig now, const ModelPool& models) : config(std::move(now)), models_(models) {}

  void read(const std::string& body) {
    boost::system::error_code failure;
    const json::value document = json::parse(body, failure);
    if (failure || !document.is_object()) {
      throw std::invalid_argument(
          R"(the body must be a JSON object such as {"log": {"level": "debug"}})");
    }
    for (const auto& [group, fields] : document.get_object()) {
      const json::object& members = object(fields, group);
      if (members.empty()) {
        check_group(group);
      }
      for (const auto& [name, value] : members) {
        group == "models" ? model(name, value) : setting(group, name, value);
      }
    }
  }

  DaemonConfig config;
  std::map<std::string, std::string> policies;  // by model
  std::vector<std::string> lines;               // "NAME = VALUE" for each change

 private:
  static const json::object& object(const json::value& value, std::string_view name) {
    if (!value.is_object()) {
      throw std::invalid_argument("the field " + std::string(name) + " must be an object");
    }
    return value.get_object();
  }

  [[noreturn]] static void refuse_unknown(const std::string& unknown) {
    if (const RenamedField* const renamed = find_renamed(unknown)) {
      throw std::invalid_argument(renamed->message());
    }
    std::string known = "models.NAME.default_policy";
    for (const auto& [group, name] : kSettings) {
      known += ", " + dotted(group, name);
    }
    throw std::invalid_argument("unknown setting " + in_quotes(unknown) + "; allowed: " + known);
  }

  // An empty group changes nothing, but it must be known.
  static void check_group(std::string_view group) {
    if (group != "models" &&
        std::none_of(kSettings.begin(), kSettings.end(),
                     [&](const auto& known) { return known.first == group; })) {
      refuse_unknown(std::string(group));
    }
  }

  void setting(std::string_view group, std::string_view name, const json::value& value) {
    if (std::find(kSettings.begin(), kSettings.end(), std::pair(group, name)) == kSettings.end()) {
      refuse_unknown(dotted(group, name));
    }
    const std::string full = dotted(group, name);
    const std::string text = plain_text(value);
    try {
      config_field(full).set(config, {text});
    } catch (const std::invalid_argument& wrong) {
      throw std::invalid_argument(full + " " + wrong.what());
    }
    lines.push_back(full + " = " + text);
  }

  void model(std::string_view name, const json::value& value) {
    const auto& models = models_.infos();
    if (std::none_of(models.begin(), models.end(),
                     [&](const ModelInfo& known) { return known.name == name; })) {
      throw std::invalid_argument("model " + in_quotes(name) + " is unknown");
    }
    for (const auto& [field, policy] : object(value, dotted("models", name))) {
      if (field != "default_policy" || !policy.is_string()) {
        throw std::invalid_argument("models." + std::string(name) +
                                    " allows only default_policy, a text");
      }
      const std::string spec(policy.get_string());
      parse_policy_request(spec);
      policies[std::string(name)] = spec;
      lines.push_back("models." + std::string(name) + ".default_policy = " + spec);
    }
  }

  const ModelPool& models_;
};

std::string stream_json(const StreamInfo& stream) {
  JsonWriter writer;
  writer.field("stream", stream.name)
      .optional_field("channel", stream.channel)
      .field("attached", stream.attached)
      .field("model", stream.model)
      .field("policy", stream.policy)
      .field("tracks", stream.tracks)
      .field("age_seconds", stream.age.count())
      .field("words_in", stream.words_in)
      .field("words_out", stream.words_out);
  writer.field("delay_p50_ms", to_milliseconds(stream.delay_p50))
      .field("delay_p99_ms", to_milliseconds(stream.delay_p99));
  return writer.finish();
}

}  // namespace

Result<HttpResponse> AdminApi::streams(const RoutedRequest& request) {
  std::size_t limit = kStreams;
  for (const auto& [name, value] : parse_query(request.query)) {
    const char* end = value.data() + value.size();
    if (name == "limit" &&
        (std::from_chars(value.data(), end, limit).ptr != end || value.empty())) {
      return RequestError(400, "limit must be a whole number.");
    }
  }
  return json_response(http::status::ok, streams_json(limit));
}

Result<HttpResponse> AdminApi::settings(const RoutedRequest& /*request*/) {
  return json_response(http::status::ok, settings_json());
}

Result<HttpResponse> AdminApi::change_settings(const RoutedRequest& request) {
  const auto changed = change(request.request.body());
  if (!changed) {
    return changed.error();
  }
  for (const std::string& line : *changed) {
    log_at_any_level(LogLevel::kWarning, "Setting changed",
                     {{"actor", request.client->grant().name}, {"setting", line}});
  }
  return settings(request);
}

Result<std::vector<std::string>> AdminApi::change(const std::string& body) {
  ServerContext& server = streams_.server();
  Change wished(config_, server.models());
  try {
    wished.read(body);
  } catch (const std::invalid_argument& wrong) {
    return RequestError(400, wrong.what());
  }
  config_ = std::move(wished.config);
  set_log_level(log_level_by_name(config_.log_level).value_or(LogLevel::kInfo));
  server.admission().configure(admission_options(config_));
  for (const auto& [model, policy] : wished.policies) {
    server.models().set_default_policy(model, policy);
  }
  return std::move(wished.lines);
}

Result<HttpResponse> AdminApi::drain(const RoutedRequest& request) {
  if (!streams_.draining()) {
    log_at_any_level(LogLevel::kWarning, "Drain requested",
                     {{"actor", request.client->grant().name}});
    drain_();
  }
  return json_response(http::status::accepted,
                       JsonWriter()
                           .field("draining", true)
                           .field("streams", static_cast<std::int64_t>(streams_.infos().size()))
                           .finish());
}

std::string AdminApi::settings_json() const {
  std::map<std::string, JsonWriter> groups;
  for (const auto& [group, name] : kSettings) {
    const std::string text = config_field(dotted(group, name)).get(config_).front();
    double number = 0;
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number).ptr == end) {
      groups[std::string(group)].field(name, number);
    } else {
      groups[std::string(group)].field(name, text);
    }
  }
  JsonWriter models;
  const ModelPool& pool = streams_.server().models();
  for (const ModelInfo& model : pool.infos()) {
    models.raw_field(model.name,
                     JsonWriter().field("default_policy", pool.default_policy(model)).finish());
  }
  JsonWriter all;
  for (auto& [group, fields] : groups) {
    all.raw_field(group, fields.finish());
  }
  return all.raw_field("models", models.finish()).finish();
}

std::string AdminApi::streams_json(std::size_t limit) const {
  std::vector<StreamInfo> infos = streams_.infos();
  const std::size_t total = infos.size();
  std::stable_sort(infos.begin(), infos.end(), [](const StreamInfo& left, const StreamInfo& right) {
    return left.delay_p99.value_or(Seconds(0)) > right.delay_p99.value_or(Seconds(0));
  });
  infos.resize(std::min(limit, total));
  return JsonWriter()
      .field("total", static_cast<std::int64_t>(total))
      .raw_field("streams", json_array(infos, stream_json))
      .finish();
}

}  // namespace surtitle
