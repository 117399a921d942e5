#include "daemon/channels/channel_registry.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "daemon/base/try_or_log.h"

namespace surtitle {
namespace {

protocol::State departure() { return {false, {}, {}, {}}; }

}  // namespace

bool ChannelRegistry::reserve(const std::string& name, const std::string& stream) {
  if (is_taken(name)) {
    return false;
  }
  channel(name).reserved = stream;
  return true;
}

void ChannelRegistry::unreserve(const std::string& name) noexcept {
  const auto found = channels_.find(name);
  if (found != channels_.end()) {
    found->second.reserved.clear();
    retire_if_idle(name);
  }
}

bool ChannelRegistry::is_taken(const std::string& name) const {
  const auto found = channels_.find(name);
  return found != channels_.end() && (!found->second.reserved.empty() ||
                                      (found->second.sender && !found->second.sender->remote));
}

bool ChannelRegistry::claim(const std::string& name, ChannelSender sender) {
  Channel& claimed = channel(name);
  if (claimed.sender && !claimed.sender->remote) {
    return false;
  }
  if (claimed.reserved == sender.stream) {
    claimed.reserved.clear();
  }
  const bool continues = claimed.current.description.stream == sender.stream;
  const bool notify = !continues || !claimed.sender;
  if (continues && claimed.sender && !sender.interrupted_until) {
    sender.interrupted_until = claimed.sender->interrupted_until;
  }
  if (!continues && claimed.current.transcript.last_event() > 0) {
    claimed.current.transcript.shrink(options_.previous_sentences);
    claimed.previous = std::move(claimed.current);
  }
  if (!continues) {
    claimed.current = TranscribedStream(options_.sentences);
    claimed.current.transcript.set_heading(sender.heading);
  }
  claimed.current.description = sender;
  std::optional<ChannelSender> next(std::move(sender));
  const SharedPayload news =
      notify ? share(state_message(claimed.current, interrupted(next))) : SharedPayload();
  claimed.sender = std::move(next);  // from here on, nothing fails
  if (news) {
    deliver_to_all(claimed, news);
  }
  return true;
}

void ChannelRegistry::set_interrupted(const std::string& name, std::optional<TimePoint> until) {
  Channel& changed = channels_.at(name);
  if (changed.sender->interrupted_until != until) {
    changed.sender->interrupted_until = until;
    deliver_to_all(changed, share(protocol::Interruption{interrupted(changed.sender)}));
  }
}

void ChannelRegistry::update(const std::string& name, std::vector<protocol::Track> tracks) {
  Channel& updated = channels_.at(name);
  updated.current.description.tracks = tracks;
  updated.sender->tracks = std::move(tracks);
}

void ChannelRegistry::release(const std::string& name) noexcept {
  Channel& released = channels_.at(name);
  released.sender.reset();
  try_or_log("Notifying viewers that a sender has left failed",
             [&] { deliver_to_all(released, share(departure())); });
  retire_if_idle(name);
}

void ChannelRegistry::hand_off(const std::string& name) {
  Channel& handed = channels_.at(name);
  handed.sender->remote = true;
  handed.sender->viewers_changed = nullptr;
}

void ChannelRegistry::release_remote(const std::string& name) {
  const auto found = channels_.find(name);
  if (found != channels_.end() && found->second.sender && found->second.sender->remote) {
    release(name);
  }
}

void ChannelRegistry::publish(const std::string& name, const protocol::ServerMessage& message,
                              const SharedPayload& text) {
  Channel& published = channels_.at(name);
  const std::int64_t event = protocol::event_of(message);
  if (event > 0 && event <= published.current.transcript.last_event()) {
    return;
  }
  published.current.transcript.add(message);
  const std::optional<std::string_view> track = track_of(message);
  const bool attention = std::holds_alternative<protocol::Attention>(message);
  for (const auto& [viewer, filter] : published.viewers) {
    if ((!track || !filter.track || *track == *filter.track) && (filter.attention || !attention)) {
      viewer->deliver(text);
    }
  }
}

void ChannelRegistry::watch(const std::string& name, ChannelViewer& viewer, ViewFilter filter) {
  Channel& watched = channel(name);
  watched.viewers[&viewer] = std::move(filter);
  notify_sender(watched);
}

void ChannelRegistry::leave(const std::string& name, ChannelViewer& viewer) noexcept {
  const auto left = channels_.find(name);
  if (left != channels_.end()) {
    left->second.viewers.erase(&viewer);
    notify_sender(left->second);
    retire_if_idle(name);
  }
}

int ChannelRegistry::viewers(const std::string& name) const {
  const auto found = channels_.find(name);
  return found == channels_.end() ? 0 : static_cast<int>(found->second.viewers.size());
}

std::optional<ChannelSender> ChannelRegistry::sender(const std::string& name) const {
  const auto found = channels_.find(name);
  return found == channels_.end() ? std::nullopt : found->second.sender;
}

std::optional<double> ChannelRegistry::interrupted(const std::string& name) const {
  const auto found = channels_.find(name);
  return found == channels_.end() ? std::nullopt : interrupted(found->second.sender);
}

std::optional<double> ChannelRegistry::interrupted(
    const std::optional<ChannelSender>& sender) const {
  if (!sender || !sender->interrupted_until) {
    return std::nullopt;
  }
  const Seconds left = *sender->interrupted_until - now_();
  return std::round(std::max(left.count(), 0.0) * 1000) / 1000;
}

std::vector<ChannelSummary> ChannelRegistry::list() const {
  std::vector<ChannelSummary> summaries;
  for (const auto& [name, channel] : channels_) {
    if (!channel.current.description.stream.empty()) {
      summaries.push_back(
          {name, channel.sender.has_value(), channel.current.description.tracks,
           channel.current.transcript.sentences().size(), static_cast<int>(channel.viewers.size()),
           channel.current.transcript.heading(), interrupted(channel.sender).has_value()});
    }
  }
  return summaries;
}

void ChannelRegistry::set_previous_stream(const std::string& name, TranscribedStream previous) {
  previous.transcript.shrink(options_.previous_sentences);
  channels_.at(name).previous = std::move(previous);
}

std::string ChannelRegistry::previous_stream(const std::string& name) const {
  const auto found = channels_.find(name);
  return found == channels_.end() || !found->second.previous
             ? ""
             : found->second.previous->description.stream;
}

std::vector<const TranscribedStream*> ChannelRegistry::streams(const std::string& name) const {
  std::vector<const TranscribedStream*> streams;
  const auto found = channels_.find(name);
  if (found == channels_.end()) {
    return streams;
  }
  if (found->second.previous) {
    streams.push_back(&*found->second.previous);
  }
  if (!found->second.current.description.stream.empty()) {
    streams.push_back(&found->second.current);
  }
  return streams;
}

const Transcript* ChannelRegistry::transcript(const std::string& name) const {
  const auto found = channels_.find(name);
  return found == channels_.end() ? nullptr : &found->second.current.transcript;
}

std::optional<ChannelPosition> ChannelRegistry::position(const std::string& name) const {
  const auto found = channels_.find(name);
  if (found == channels_.end() || found->second.current.description.stream.empty()) {
    return std::nullopt;
  }
  const TranscribedStream& current = found->second.current;
  const std::int64_t event = current.transcript.last_event();
  if (event == 0 && !current.transcript.sentences().empty()) {
    return std::nullopt;
  }
  return ChannelPosition{current.description.stream, event};
}

std::optional<MissedMessages> ChannelRegistry::missed_since(
    const std::string& name, const ChannelPosition& position,
    const std::optional<std::string>& track) const {
  const auto found = channels_.find(name);
  if (found == channels_.end()) {
    return std::nullopt;
  }
  const Channel& channel = found->second;
  const StreamDescription& now = channel.current.description;
  const Transcript& current = channel.current.transcript;
  if (position.stream == now.stream) {
    auto messages = current.after(position.event, track, options_.missed);
    if (!messages) {
      return std::nullopt;
    }
    return channel.sender
               ? MissedMessages{now.stream, now.tracks, *std::move(messages), current.heading()}
               : MissedMessages{{}, {}, *std::move(messages)};
  }
  if (!channel.previous || position.stream != channel.previous->description.stream) {
    return std::nullopt;
  }
  auto messages = channel.previous->transcript.after(position.event, track, options_.missed);
  auto followed = current.after(0, track, options_.missed);
  if (!messages || !followed) {
    return std::nullopt;
  }
  messages->emplace_back(state_message(channel.current, interrupted(channel.sender)));
  messages->insert(messages->end(), std::make_move_iterator(followed->begin()),
                   std::make_move_iterator(followed->end()));
  if (!channel.sender) {
    messages->emplace_back(departure());
  }
  return MissedMessages{channel.previous->description.stream, channel.previous->description.tracks,
                        *std::move(messages), channel.previous->transcript.heading()};
}

// Returns the message that the channel has this stream.
protocol::State ChannelRegistry::state_message(const TranscribedStream& current,
                                               std::optional<double> interrupted) {
  const StreamDescription& stream = current.description;
  const protocol::Track& first = stream.tracks.front();
  return {true,          first.model,   first.policy,
          stream.stream, stream.tracks, current.transcript.heading(),
          interrupted};
}

ChannelRegistry::Channel& ChannelRegistry::channel(const std::string& name) {
  std::erase(idle_lru_, name);
  return channels_.try_emplace(name, options_.sentences).first->second;
}

void ChannelRegistry::deliver_to_all(const Channel& channel, const SharedPayload& text) {
  for (const auto& [viewer, filter] : channel.viewers) {
    viewer->deliver(text);
  }
}

void ChannelRegistry::notify_sender(const Channel& channel) {
  if (channel.sender && channel.sender->viewers_changed) {
    channel.sender->viewers_changed();
  }
}

// Drops the channel if it is idle and empty, as after viewers waited for a sender in vain.
// Otherwise an idle channel is kept for a while.
void ChannelRegistry::retire_if_idle(const std::string& name) noexcept {
  const auto found = channels_.find(name);
  if (found->second.sender || !found->second.viewers.empty() || !found->second.reserved.empty()) {
    return;
  }
  if (found->second.current.transcript.sentences().empty() && !found->second.previous) {
    channels_.erase(found);
    return;
  }
  if (!try_or_log("Keeping an idle channel failed", [&] { idle_lru_.push_back(name); })) {
    channels_.erase(found);
    return;
  }
  if (idle_lru_.size() > options_.idle_channels) {
    channels_.erase(idle_lru_.front());
    idle_lru_.pop_front();
  }
}

}  // namespace surtitle
