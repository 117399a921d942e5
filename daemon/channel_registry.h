// The named channels: at most one sender each, any number of viewers.
//
// A channel remembers the messages of its sender's unfinished sentences and of the last two
// finished ones, so that a viewer who comes late sees where things stand. Viewers stay when the
// sender goes; a channel with neither is forgotten.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/connection.h"
#include "daemon/protocol.h"

namespace surtitle {

struct ChannelSender {
  std::string stream;
  std::string model;
  std::string policy;
};

class ChannelViewer {
 public:
  ChannelViewer() = default;
  ChannelViewer(const ChannelViewer&) = delete;
  ChannelViewer& operator=(const ChannelViewer&) = delete;
  virtual ~ChannelViewer() = default;

  // Must not change the registry.
  virtual void show(const SharedText& message) = 0;
};

class ChannelRegistry {
 public:
  // Makes the stream the channel's sender, and tells its viewers; false where there is one.
  bool claim(const std::string& name, ChannelSender sender);
  // REQUIRES: claimed.
  void release(const std::string& name);

  // A message of the channel's sender to its viewers. REQUIRES: claimed.
  void publish(const std::string& name, const protocol::ServerMessage& message,
               const SharedText& text);

  void watch(const std::string& name, ChannelViewer& viewer);
  void leave(const std::string& name, ChannelViewer& viewer);

  std::optional<ChannelSender> sender(const std::string& name) const;

  // What a new viewer is shown first.
  std::vector<SharedText> snapshot(const std::string& name) const;

 private:
  struct Sentence {
    int number = 0;
    bool finished = false;
    std::vector<SharedText> messages;  // source words, writes, sentence
  };
  struct Channel {
    std::optional<ChannelSender> sender;
    std::set<ChannelViewer*> viewers;
    std::deque<Sentence> sentences;  // in order: finished ones first
  };

  static void remember(Channel& channel, const protocol::ServerMessage& message,
                       const SharedText& text);
  static void tell_all(const Channel& channel, const SharedText& text);
  void forget_if_unused(std::map<std::string, Channel>::iterator channel);

  std::map<std::string, Channel> channels_;
};

}  // namespace surtitle
