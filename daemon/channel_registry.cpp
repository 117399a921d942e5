#include "daemon/channel_registry.h"

#include <algorithm>
#include <utility>

namespace surtitle {
namespace {

constexpr std::ptrdiff_t kFinishedShown = 2;

// The sentence that a message to be remembered belongs to.
std::optional<int> sentence_of(const protocol::ServerMessage& message) {
  if (const auto* words = std::get_if<protocol::SourceWords>(&message)) {
    return words->sentence;
  }
  if (const auto* write = std::get_if<protocol::Write>(&message)) {
    return write->sentence;
  }
  if (const auto* sentence = std::get_if<protocol::Sentence>(&message)) {
    return sentence->sentence;
  }
  return std::nullopt;
}

}  // namespace

bool ChannelRegistry::claim(const std::string& name, ChannelSender sender) {
  Channel& channel = channels_[name];
  if (channel.sender) {
    return false;
  }
  channel.sentences.clear();  // another stream counts its sentences anew
  tell_all(channel, share(protocol::State{true, sender.model, sender.policy, sender.stream}));
  channel.sender = std::move(sender);
  return true;
}

void ChannelRegistry::release(const std::string& name) {
  const auto channel = channels_.find(name);
  channel->second.sender.reset();
  tell_all(channel->second, share(protocol::State{false, {}, {}, {}}));
  forget_if_unused(channel);
}

void ChannelRegistry::publish(const std::string& name, const protocol::ServerMessage& message,
                              const SharedText& text) {
  Channel& channel = channels_.at(name);
  remember(channel, message, text);
  tell_all(channel, text);
}

void ChannelRegistry::watch(const std::string& name, ChannelViewer& viewer) {
  channels_[name].viewers.insert(&viewer);
}

void ChannelRegistry::leave(const std::string& name, ChannelViewer& viewer) {
  const auto channel = channels_.find(name);
  if (channel != channels_.end()) {
    channel->second.viewers.erase(&viewer);
    forget_if_unused(channel);
  }
}

std::optional<ChannelSender> ChannelRegistry::sender(const std::string& name) const {
  const auto channel = channels_.find(name);
  return channel == channels_.end() ? std::nullopt : channel->second.sender;
}

std::vector<SharedText> ChannelRegistry::snapshot(const std::string& name) const {
  std::vector<SharedText> messages;
  const auto channel = channels_.find(name);
  if (channel != channels_.end()) {
    for (const Sentence& sentence : channel->second.sentences) {
      messages.insert(messages.end(), sentence.messages.begin(), sentence.messages.end());
    }
  }
  return messages;
}

void ChannelRegistry::remember(Channel& channel, const protocol::ServerMessage& message,
                               const SharedText& text) {
  const std::optional<int> number = sentence_of(message);
  if (!number) {
    return;
  }
  std::deque<Sentence>& sentences = channel.sentences;
  auto sentence = std::find_if(sentences.begin(), sentences.end(),
                               [&](const Sentence& known) { return known.number == *number; });
  if (sentence == sentences.end()) {
    sentence = sentences.insert(sentences.end(), Sentence{*number, false, {}});
  }
  sentence->messages.push_back(text);
  sentence->finished = std::holds_alternative<protocol::Sentence>(message);
  const auto is_finished = [](const Sentence& known) { return known.finished; };
  while (std::count_if(sentences.begin(), sentences.end(), is_finished) > kFinishedShown) {
    sentences.pop_front();
  }
}

void ChannelRegistry::tell_all(const Channel& channel, const SharedText& text) {
  for (ChannelViewer* viewer : channel.viewers) {
    viewer->show(text);
  }
}

void ChannelRegistry::forget_if_unused(std::map<std::string, Channel>::iterator channel) {
  if (!channel->second.sender && channel->second.viewers.empty()) {
    channels_.erase(channel);
  }
}

}  // namespace surtitle
