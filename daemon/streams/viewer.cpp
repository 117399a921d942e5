#include "daemon/streams/viewer.h"

#include <charconv>
#include <utility>

#include "daemon/backplane/backplane.h"
#include "daemon/base/text.h"
#include "daemon/base/try_or_log.h"
#include "daemon/base/url_parts.h"

namespace surtitle {

using protocol::Error;
using protocol::ErrorCode;

namespace {

// "s-0123:57"
std::optional<ChannelPosition> parse_position(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string::npos) {
    return std::nullopt;
  }
  ChannelPosition position{text.substr(0, colon)};
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + colon + 1, end, position.event);
  if (failure != std::errc() || stop != end || position.event < 0) {
    return std::nullopt;
  }
  return position;
}

RequestError not_found(std::string message) { return {404, std::move(message)}; }

}  // namespace

Result<SubscribeRequest> parse_subscribe_request(std::string_view query) {
  SubscribeRequest request;
  for (const auto& [key, value] : parse_query(query)) {
    if (key == "track") {
      if (!protocol::is_channel_name(value)) {
        return not_found(
            "track must be 1 to 64 characters of A-Z a-z 0-9 . _ -; 'first' means the first track");
      }
      request.filter.track = protocol::track_from_query(value);
    } else if (key == "attention") {
      if (value != "0" && value != "1") {
        return not_found("attention must be 0 or 1");
      }
      request.filter.attention = value == "1";
    } else if (key == "after") {
      request.after = parse_position(value);
      if (!request.after) {
        return not_found(
            "after must be STREAM:EVENT, a stream's name and the last event received from it");
      }
    } else if (key == "backlog") {
      const auto backlog = parse_number(value, 0, SubscribeRequest::kMaxBacklog);
      if (!backlog) {
        return not_found("backlog must be a whole number from 0 to " +
                         std::to_string(SubscribeRequest::kMaxBacklog));
      }
      request.backlog = *backlog;
    }
  }
  return request;
}

Viewer::Viewer(StreamRegistry& streams, std::string channel, SubscribeRequest request)
    : streams_(streams),
      server_(streams.server()),
      drain_guard_(streams),
      channel_(std::move(channel)),
      request_(std::move(request)) {}

Viewer::~Viewer() { leave(); }

void Viewer::on_open(Connection& connection) {
  connection_ = &connection;
  if (streams_.draining()) {
    fail({ErrorCode::kDraining, "the daemon is shutting down and accepts no new viewers"},
         protocol::ByeReason::kDraining);
    return;
  }
  if (!streams_.enter(*this)) {
    fail({ErrorCode::kTooManyStreams, "the limit of " + std::to_string(server_.options().viewers) +
                                          " viewers is reached; try again later"});
    return;
  }
  entered_ = true;
  Backplane* others = server_.backplane();
  if (others == nullptr) {
    begin(/*all=*/true);
    return;
  }
  follows_ = true;
  others->follow(channel_, [this, others, alive = std::weak_ptr<bool>(alive_)](bool all) {
    if (!alive.expired() && entered_) {
      begin(all && others->membership_stable());
    }
  });
}

// `all`: this replica has all messages of the channel, including those of other replicas.
void Viewer::begin(bool all) {
  streams_.restore_channel(channel_);
  std::optional<std::vector<SharedPayload>> first = rest();
  const std::optional<ChannelSender> sender = server_.channels().sender(channel_);
  if (!first && !all && request_.after && (!sender || sender->remote)) {
    connection_->end(protocol::kCloseTryAgainLater);
    leave();
    return;
  }
  if (!first) {
    first = request_.after
                ? beginning({"not all messages after event " +
                             std::to_string(request_.after->event) + " of stream " +
                             request_.after->stream + " are kept; starting from the present state"})
                : beginning();
  }
  for (const SharedPayload& message : *first) {
    connection_->send({message, std::nullopt, /*counted=*/false});
  }
  server_.channels().watch(channel_, *this, request_.filter);
  begun_ = true;
}

protocol::Ready Viewer::ready(const std::optional<std::string>& stream,
                              const std::vector<protocol::Track>& tracks,
                              const protocol::Heading& heading) const {
  protocol::Ready ready;
  ready.channel = channel_;
  ready.limits = server_.options().limits;
  if (stream) {
    ready.stream = stream;
    ready.model = tracks.front().model;
    ready.policy = tracks.front().policy;
    ready.tracks = tracks;
    ready.heading = heading;
    const std::optional<ChannelSender> sender = server_.channels().sender(channel_);
    if (sender && sender->stream == *stream) {
      ready.interrupted = server_.channels().interrupted(channel_);
    }
  }
  return ready;
}

std::vector<SharedPayload> Viewer::beginning(std::vector<std::string> warnings) const {
  const std::optional<ChannelSender> sender = server_.channels().sender(channel_);
  const Transcript* transcript = server_.channels().transcript(channel_);
  protocol::Ready ready = sender
                              ? this->ready(sender->stream, sender->tracks, transcript->heading())
                              : this->ready(std::nullopt, {}, {});
  ready.warnings = std::move(warnings);
  std::vector<protocol::ServerMessage> messages;
  if (transcript != nullptr) {
    messages =
        transcript->snapshot(static_cast<std::size_t>(request_.backlog), request_.filter.track);
  }
  if (const std::optional<ChannelPosition> position = server_.channels().position(channel_)) {
    ready.backlog =
        protocol::Backlog{position->stream, position->event, static_cast<int>(messages.size())};
  }
  std::vector<SharedPayload> texts{share(ready)};
  for (const protocol::ServerMessage& message : messages) {
    texts.push_back(share(message));
  }
  return texts;
}

std::optional<std::vector<SharedPayload>> Viewer::rest() const {
  if (!request_.after) {
    return std::nullopt;
  }
  const std::optional<MissedMessages> rest =
      server_.channels().missed_since(channel_, *request_.after, request_.filter.track);
  if (!rest) {
    return std::nullopt;
  }
  protocol::Ready ready = this->ready(rest->stream, rest->tracks, rest->heading);
  ready.after = request_.after->event;
  std::vector<SharedPayload> texts{share(ready)};
  for (const protocol::ServerMessage& message : rest->messages) {
    texts.push_back(share(message));
  }
  return texts;
}

std::vector<SharedPayload> Viewer::snapshot(int skipped) {
  std::vector<SharedPayload> texts = beginning();
  texts.insert(texts.begin(), share(protocol::CatchUp{skipped}));
  return texts;
}

void Viewer::on_message(std::string_view /*text*/, TimePoint /*now*/) {
  fail({ErrorCode::kNotAllowed, "a viewer sends no messages; words go to /v1/stream"});
}

void Viewer::on_protocol_error(const Error& error) { fail(error); }

void Viewer::on_deadline(TimePoint /*now*/) {}

void Viewer::on_close(bool /*on_purpose*/) noexcept { leave(); }

void Viewer::deliver(const SharedPayload& message) noexcept {
  if (!try_or_log("Sending to a viewer failed", [&] { connection_->send({message}); })) {
    connection_->end(protocol::close_code(ErrorCode::kInternal));
  }
}

void Viewer::drain() noexcept {
  try_or_log("Sending bye to a viewer failed",
             [&] { connection_->send({share(protocol::Bye{protocol::ByeReason::kDraining})}); });
  connection_->end(protocol::close_code(ErrorCode::kDraining));
}

void Viewer::fail(const Error& error, protocol::ByeReason reason) {
  server_.metrics().error(error.code);
  send_error_and_close(*connection_, error, reason);
}

void Viewer::leave() noexcept {
  if (std::exchange(entered_, false)) {
    if (begun_) {
      server_.channels().leave(channel_, *this);
    }
    if (Backplane* others = server_.backplane(); others != nullptr && follows_) {
      try_or_log("Leaving a channel of the backplane failed", [&] { others->leave(channel_); });
    }
    streams_.leave(*this);
  }
}

}  // namespace surtitle
