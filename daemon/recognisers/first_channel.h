// Selects one channel of multi-channel audio: the first one with words.
//
// Words of two voices do not form sentences, so all other channels are ignored.
//
// Thread-safety: none; one owner.
#pragma once

#include <optional>
#include <string>

#include "daemon/recognisers/recogniser.h"

namespace surtitle {

class FirstChannelFilter {
 public:
  explicit FirstChannelFilter(const RecogniserSettings& settings) : on_hint_(settings.on_hint) {}

  // Returns whether words of this channel are translated. The first word of another channel causes
  // a notice. Words without a channel ("") are always translated.
  bool accepts(const std::string& channel) {
    if (channel.empty()) {
      return true;
    }
    channel_ = channel_.value_or(channel);
    if (channel != *channel_ && !noticed_) {
      noticed_ = true;
      on_hint_("the recogniser's audio has several channels; only channel " + *channel_ +
               " is translated");
    }
    return channel == *channel_;
  }

 private:
  const std::function<void(const std::string&)> on_hint_;
  std::optional<std::string> channel_;
  bool noticed_ = false;
};

}  // namespace surtitle
