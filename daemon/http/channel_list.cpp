#include "daemon/http/channel_list.h"

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/base/json_writer.h"

namespace surtitle {
namespace {

std::string to_json(const protocol::Track& track, const std::vector<ModelInfo>& models) {
  const auto model = std::find_if(models.begin(), models.end(),
                                  [&](const ModelInfo& info) { return info.name == track.model; });
  JsonWriter json;
  json.field("name", track.name);
  if (model != models.end()) {  // a stream of another replica may have a model of its own
    json.field("source", model->source_language);
  }
  return json.field("target", track.target)
      .field("model", track.model)
      .field("policy", track.policy)
      .finish();
}

}  // namespace

Result<HttpResponse> answer_channels(const RoutedRequest& request) {
  const ServerContext& server = request.context.server;
  const Grant& grant = request.client->grant();
  std::vector<ChannelSummary> channels = server.channels().list();
  std::erase_if(channels, [&](const ChannelSummary& channel) {
    return !grant.roles.has(Role::kView) || !grant.may_use(channel.name);
  });
  const std::vector<ModelInfo> models = server.models().infos();
  return json_response(http::status::ok, json_array(channels, [&](const ChannelSummary& channel) {
                         JsonWriter json;
                         return add_heading(json.field("name", channel.name), channel.heading)
                             .field("live", channel.live)
                             .field("interrupted", channel.interrupted)
                             .field("viewers", channel.viewers)
                             .field("sentences", static_cast<std::int64_t>(channel.sentences))
                             .raw_field("tracks", json_array(channel.tracks,
                                                             [&](const protocol::Track& track) {
                                                               return to_json(track, models);
                                                             }))
                             .finish();
                       }));
}

}  // namespace surtitle
