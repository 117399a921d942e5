#include "daemon/http/channel_sockets.h"

#include "daemon/alignatt/alignatt_session.h"
#include "daemon/base/url_parts.h"
#include "daemon/http/access_rules.h"
#include "daemon/streams/stream_sender.h"
#include "daemon/streams/viewer.h"

namespace surtitle {

Result<std::unique_ptr<ConnectionHandler>> open_sender(const RoutedRequest& request) {
  return std::make_unique<StreamSender>(request.context.streams, Stream::Kind::kDurable,
                                        request.client);
}

Result<std::unique_ptr<ConnectionHandler>> open_viewer(const RoutedRequest& request) {
  const std::optional<std::string> channel = channel_parameter(request.parameters);
  if (!channel) {
    return unknown_websocket();
  }
  const Result<SubscribeRequest> wanted = parse_subscribe_request(request.query);
  if (!wanted) {
    return wanted.error();
  }
  return std::make_unique<Viewer>(request.context.streams, *channel, *wanted);
}

Result<std::unique_ptr<ConnectionHandler>> open_alignatt(const RoutedRequest& request) {
  alignatt::UrlQuery query;
  for (auto& [name, value] : parse_query(request.query)) {
    if (name == "channel") {
      query.channel = value;
    } else if (name == "policy") {
      query.policy = value;
    } else if (name == "model") {
      query.model = value;
    }
  }
  if (query.channel && !protocol::is_channel_name(*query.channel)) {
    return RequestError(400, "channel must be " + std::string(protocol::kChannelNameRule));
  }
  return std::make_unique<AlignattSession>(request.context.streams, request.context.alignatt,
                                           request.client, std::move(query));
}

RequestError unknown_websocket() {
  return {404,
          "unknown path; allowed: /v1/stream, /v1/alignatt, / and /v1/channels/NAME, with a NAME "
          "of 1 to 64 characters of A-Z a-z 0-9 . _ -"};
}

}  // namespace surtitle
