// Filters audio with several channels: the first one with words is translated, as the words of two
// voices do not make a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/recognisers/recogniser.h"

namespace surtitle {

class FirstChannelFilter {
 public:
  explicit FirstChannelFilter(const RecogniserSettings& settings)
      : on_notice_(settings.on_notice) {}

  // Whether words of this channel are translated. Notices once that there are others.
  bool accepts(std::int64_t channel) {
    channel_ = channel_.value_or(channel);
    if (channel != *channel_ && !noticed_) {
      noticed_ = true;
      on_notice_("the recogniser hears several channels; only channel " +
                 std::to_string(*channel_) + " is translated");
    }
    return channel == *channel_;
  }

 private:
  const std::function<void(const std::string&)> on_notice_;
  std::optional<std::int64_t> channel_;
  bool noticed_ = false;
};

}  // namespace surtitle
