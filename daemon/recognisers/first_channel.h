// Of audio with several channels, the one that was heard first: two voices do not make a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/recognisers/recogniser.h"

namespace surtitle {

class OneChannel {
 public:
  explicit OneChannel(const RecogniserSettings& settings) : note_(settings.note) {}

  // Whether this channel is the one. Says once that there are others.
  bool is_heard(std::int64_t channel) {
    channel_ = channel_.value_or(channel);
    if (channel != *channel_ && !noted_) {
      noted_ = true;
      note_("the recogniser hears several channels; only channel " + std::to_string(*channel_) +
            " is translated");
    }
    return channel == *channel_;
  }

 private:
  const std::function<void(const std::string&)> note_;
  std::optional<std::int64_t> channel_;
  bool noted_ = false;
};

}  // namespace surtitle
