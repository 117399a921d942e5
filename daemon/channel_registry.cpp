#include "daemon/channel_registry.h"

#include <utility>

namespace surtitle {

bool ChannelRegistry::claim(const std::string& name, ChannelSender sender) {
  Channel& claimed = channel(name);
  if (claimed.sender) {
    return false;
  }
  claimed.transcript.clear();  // another stream counts its sentences anew
  const protocol::Track& first = sender.tracks.front();
  tell_all(claimed,
           share(protocol::State{true, first.model, first.policy, sender.stream, sender.tracks}));
  claimed.sender = std::move(sender);
  return true;
}

void ChannelRegistry::update(const std::string& name, std::vector<protocol::Track> tracks) {
  channels_.at(name).sender->tracks = std::move(tracks);
}

void ChannelRegistry::release(const std::string& name) {
  Channel& released = channels_.at(name);
  released.sender.reset();
  tell_all(released, share(protocol::State{false, {}, {}, {}}));
  forget_silent(name);
}

void ChannelRegistry::publish(const std::string& name, const protocol::ServerMessage& message,
                              const SharedText& text) {
  Channel& published = channels_.at(name);
  published.transcript.take(message);
  const std::optional<std::string_view> track = track_of(message);
  const bool attention = std::holds_alternative<protocol::Attention>(message);
  for (const auto& [viewer, wish] : published.viewers) {
    if ((!track || !wish.track || *track == *wish.track) && (wish.attention || !attention)) {
      viewer->show(text);
    }
  }
}

void ChannelRegistry::watch(const std::string& name, ChannelViewer& viewer, ChannelWish wish) {
  Channel& watched = channel(name);
  watched.viewers[&viewer] = std::move(wish);
  tell_sender(watched);
}

void ChannelRegistry::leave(const std::string& name, ChannelViewer& viewer) {
  const auto left = channels_.find(name);
  if (left != channels_.end()) {
    left->second.viewers.erase(&viewer);
    tell_sender(left->second);
    forget_silent(name);
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

const Transcript* ChannelRegistry::transcript(const std::string& name) const {
  const auto found = channels_.find(name);
  return found == channels_.end() ? nullptr : &found->second.transcript;
}

ChannelRegistry::Channel& ChannelRegistry::channel(const std::string& name) {
  std::erase(silent_, name);
  return channels_.try_emplace(name, options_.sentences).first->second;
}

void ChannelRegistry::tell_all(const Channel& channel, const SharedText& text) {
  for (const auto& [viewer, wish] : channel.viewers) {
    viewer->show(text);
  }
}

void ChannelRegistry::tell_sender(const Channel& channel) {
  if (channel.sender && channel.sender->viewers_changed) {
    channel.sender->viewers_changed();
  }
}

// A channel that was only waited for has nothing to remember.
void ChannelRegistry::forget_silent(const std::string& name) {
  const auto found = channels_.find(name);
  if (found->second.sender || !found->second.viewers.empty()) {
    return;
  }
  if (found->second.transcript.sentences().empty()) {
    channels_.erase(found);
    return;
  }
  silent_.push_back(name);
  if (silent_.size() > options_.silent_channels) {
    channels_.erase(silent_.front());
    silent_.pop_front();
  }
}

}  // namespace surtitle
