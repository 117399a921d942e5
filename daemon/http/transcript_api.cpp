#include "daemon/http/transcript_api.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/backplane/backplane.h"
#include "daemon/base/text.h"
#include "daemon/base/url_parts.h"
#include "daemon/channels/transcript_formats.h"
#include "daemon/http/access_rules.h"
#include "daemon/net/async_event.h"

namespace surtitle {
namespace {

// Returns true if the channel's sender has this track. The first track, "", always exists.
bool is_sent(const std::string& track, const std::string& channel,
             const ChannelRegistry& channels) {
  const std::optional<ChannelSender> sender = channels.sender(channel);
  return track.empty() ||
         (sender && std::any_of(sender->tracks.begin(), sender->tracks.end(),
                                [&](const protocol::Track& one) { return one.name == track; }));
}

// Follows a channel on other replicas during its lifetime.
class ChannelSubscription {
 public:
  ChannelSubscription(StreamRegistry& streams, std::string channel)
      : server_(streams.server()), channel_(std::move(channel)), drain_guard_(streams) {}
  ChannelSubscription(const ChannelSubscription&) = delete;
  ChannelSubscription& operator=(const ChannelSubscription&) = delete;
  ~ChannelSubscription() {
    if (follows_ && server_.backplane() != nullptr) {
      server_.backplane()->leave(channel_);
    }
  }

  asio::awaitable<void> wait_loaded() {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto known = std::make_shared<AsyncEvent>(executor);
    const auto is_known = std::make_shared<bool>(false);
    follows_ = true;
    server_.backplane()->follow(channel_, [known, is_known](bool /*all*/) {
      *is_known = true;
      known->notify();
    });
    if (!*is_known) {
      co_await known->wait();
    }
  }

 private:
  ServerContext& server_;
  const std::string channel_;
  const StreamRegistry::DrainGuard drain_guard_;
  bool follows_ = false;
};

Result<HttpResponse> transcript(const std::string& channel, TranscriptFormat format,
                                std::string_view query, StreamRegistry& streams) {
  streams.restore_channel(channel);
  const ChannelRegistry& channels = streams.server().channels();
  const Transcript* found = channels.transcript(channel);
  if (found == nullptr && streams.draining()) {
    return RequestError(
        503, "The daemon is shutting down and has no transcript of this channel; try again.",
        /*retry_after=*/1);
  }
  if (found == nullptr) {
    return RequestError(404, "No words were sent on this channel.");
  }
  TranscriptChoice choice{format};
  for (const auto& [name, value] : parse_query(query)) {
    if (name == "track") {
      choice.track = protocol::track_by_address(value);
    } else if (name == "bilingual") {
      choice.bilingual = value != "0";
    }
  }
  if (!is_sent(choice.track, channel, channels) && !found->has_track(choice.track)) {
    return RequestError(404, "This channel has no track " + in_quotes(choice.track) + ".");
  }
  return make_response(http::status::ok, content_type(format), write_transcript(*found, choice));
}

}  // namespace

asio::awaitable<Result<HttpResponse>> answer_transcript(const RoutedRequest& request) {
  StreamRegistry& streams = request.context.streams;
  const std::optional<std::string> channel = channel_parameter(request.parameters);
  const auto format = transcript_format_by_extension(request.parameters.back());
  if (!channel || !format) {
    co_return RequestError(
        404,
        "Unknown transcript; allowed: /v1/channels/NAME/transcript.vtt, .srt, "
        ".txt and .json, with a NAME of 1 to 64 characters of A-Z a-z 0-9 . _ -");
  }
  std::optional<ChannelSubscription> subscription;
  if (streams.server().backplane() != nullptr) {
    subscription.emplace(streams, *channel);
    co_await subscription->wait_loaded();
  }
  co_return transcript(*channel, *format, request.query, streams);
}

}  // namespace surtitle
