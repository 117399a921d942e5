#include "daemon/streams/stream_publisher.h"

#include <algorithm>
#include <utility>

#include "daemon/base/try_or_log.h"

namespace surtitle {

using protocol::ByeReason;
using protocol::ErrorCode;

namespace {

constexpr std::chrono::seconds kViewersPause{1};      // between two counts of viewers
constexpr std::chrono::milliseconds kHoldSource{20};  // for its translation
constexpr std::string_view kReleaseFailed = "Releasing a channel failed";
constexpr std::size_t kRecentMessages = 256;      // always kept for a sender that resumes
constexpr std::size_t kMaxRecentMessages = 4096;  // with those that it may not have received

}  // namespace

StreamPublisher::~StreamPublisher() {
  try_or_log(kReleaseFailed, [&] { flush_held_source(); });
  try_or_log(kReleaseFailed, [&] { release(); });
}

// --- the channel ---

void StreamPublisher::reserve(const std::string& channel, const std::string& stream) {
  channel_ = channel;  // first, so that release() also undoes a reservation that throws
  server_.channels().reserve(channel, stream);
}

void StreamPublisher::claim(StreamDescription stream) {
  if (!channel_) {
    return;
  }
  const auto viewers_changed = [this] {
    if (connection_ != nullptr) {
      connection_->wake();
    }
  };
  server_.channels().claim(
      *channel_, {std::move(stream), viewers_changed, /*remote=*/false, interrupted_until_});
  claimed_ = true;
  viewers_sent_ = server_.now() - kViewersPause;
}

void StreamPublisher::update(std::vector<protocol::Track> tracks) {
  if (claimed_) {
    server_.channels().update(*channel_, std::move(tracks));
  }
}

void StreamPublisher::set_interrupted(std::optional<TimePoint> until) {
  interrupted_until_ = until;
  if (claimed_) {
    server_.channels().set_interrupted(*channel_, until);
  }
}

void StreamPublisher::release() {
  if (!channel_) {
    return;
  }
  const std::string channel = *std::exchange(channel_, std::nullopt);
  if (std::exchange(claimed_, false)) {
    server_.channels().release(channel);
  } else {
    server_.channels().unreserve(channel);
  }
}

void StreamPublisher::hand_off() {
  if (claimed_) {
    server_.channels().hand_off(*std::exchange(channel_, std::nullopt));
    claimed_ = false;
  } else {
    release();
  }
}

// --- the sender ---

void StreamPublisher::attach(Connection& connection, TimePoint now) {
  if (connection_ != nullptr) {
    server_.metrics().error(ErrorCode::kTakenOver);
    send_error_and_close(
        *connection_,
        {ErrorCode::kTakenOver, "the stream continues on another connection of its sender"});
  }
  connection_ = &connection;
  viewers_ = 0;
  viewers_sent_ = now - kViewersPause;
}

std::optional<std::string> StreamPublisher::missing_after(std::int64_t event) const {
  if (recent_.empty() || recent_.front().before <= event) {
    return std::nullopt;
  }
  return "messages after event " + std::to_string(event) + " up to " +
         std::to_string(recent_.front().before) +
         " are no longer kept; read them in the transcript";
}

void StreamPublisher::replay_missed(const protocol::Ready& ready, std::int64_t event) {
  const auto send = [this](SharedPayload text) {
    connection_->send({std::move(text), std::nullopt, /*counted=*/false});
  };
  send(share(ready));
  if (acked_ > 0) {
    send(share(protocol::Ack{acked_}));
  }
  for (const Recent& recent : recent_) {
    if (recent.event > event) {
      send(recent.text);
    }
  }
}

void StreamPublisher::send_end(const StreamEnd& stream_end) {
  if (connection_ == nullptr) {
    return;
  }
  if (stream_end.error) {
    send_error_and_close(*connection_, *stream_end.error, stream_end.reason);
    return;
  }
  connection_->send({share(protocol::Bye{stream_end.reason})});
  connection_->end(stream_end.reason == ByeReason::kDraining
                       ? protocol::close_code(ErrorCode::kDraining)
                       : protocol::kCloseNormal);
}

void StreamPublisher::close(std::uint16_t code) {
  if (connection_ != nullptr) {
    connection_->end(code);
  }
}

void StreamPublisher::record_sent(std::int64_t event, const SharedPayload& text) {
  if (event == 0) {
    return;
  }
  const TimePoint now = server_.now();
  recent_.push_back({event, recent_.empty() ? 0 : recent_.back().event, text, now});
  // A sender that answers pings has received the messages before this time. Any other sender is too
  // late to resume.
  const TimePoint received = now - to_duration(Seconds(server_.options().limits.idle_seconds) +
                                               server_.options().resume_timeout);
  while (recent_.size() > kMaxRecentMessages ||
         (recent_.size() > kRecentMessages && recent_.front().sent_at < received)) {
    recent_.pop_front();
  }
}

// --- both ---

void StreamPublisher::deliver(const Outgoing& outgoing) {
  const bool to_channel = channel_ && outgoing.audience != Audience::kSender;
  const bool to_sender = outgoing.audience != Audience::kViewers;
  if (!to_channel && !to_sender) {
    return;
  }
  const SharedPayload text = outgoing.text ? outgoing.text : share(outgoing.message);
  if (to_sender) {
    ready_sent_ = true;
    record_sent(protocol::event_of(outgoing.message), text);
    if (const auto* ack = std::get_if<protocol::Ack>(&outgoing.message)) {
      acked_ = ack->seq;
    }
    if (connection_ != nullptr) {
      bytes_out_ += text->size();
      const bool attention = std::holds_alternative<protocol::Attention>(outgoing.message);
      connection_->send({text, outgoing.triggered_at, /*counted=*/true, /*droppable=*/attention});
    }
  }
  if (to_channel) {
    publish(outgoing.message, text);
  }
}

void StreamPublisher::publish(const protocol::ServerMessage& message, const SharedPayload& text) {
  if (std::holds_alternative<protocol::SourceMessage>(message)) {
    if (held_.empty()) {
      held_until_ = server_.now() + kHoldSource;
      wake();
    }
    held_.push_back({message, text});
  } else {
    flush_held_source();
    server_.channels().publish(*channel_, message, text);
  }
}

void StreamPublisher::flush_held_source() {
  for (const HeldMessage& held : std::exchange(held_, {})) {
    server_.channels().publish(*channel_, held.message, held.text);
  }
}

bool StreamPublisher::viewers_changed() const {
  return ready_sent_ && attached() && channel_ && server_.channels().viewers(*channel_) != viewers_;
}

std::optional<TimePoint> StreamPublisher::deadline() const {
  std::optional<TimePoint> deadline;
  if (!held_.empty()) {
    deadline = held_until_;
  }
  if (viewers_changed()) {
    const TimePoint count = viewers_sent_ + kViewersPause;
    deadline = std::min(deadline.value_or(count), count);
  }
  return deadline;
}

void StreamPublisher::on_deadline(TimePoint now) {
  if (now >= held_until_) {
    flush_held_source();
  }
  send_viewer_count(now);
}

void StreamPublisher::send_viewer_count(TimePoint now) {
  if (now >= viewers_sent_ + kViewersPause && viewers_changed()) {
    viewers_ = server_.channels().viewers(*channel_);
    viewers_sent_ = now;
    connection_->send({share(protocol::Viewers{viewers_})});
  }
}

void StreamPublisher::wake() {
  if (connection_ != nullptr) {
    connection_->wake();
  } else {
    owner_.wake();
  }
}

}  // namespace surtitle
