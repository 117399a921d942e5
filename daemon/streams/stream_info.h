// A stream as whoever runs the daemon sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/base/clock.h"

namespace surtitle {

struct StreamInfo {
  std::string name;
  std::optional<std::string> channel;
  bool attached = false;  // its sender is there
  std::string model;      // of the first track
  std::string policy;     // likewise
  int tracks = 1;
  Seconds age{0};
  int words_in = 0;
  std::int64_t words_out = 0;
  std::optional<Seconds> delay_p50 = {};  // from a word to what is written for it, since the begin
  std::optional<Seconds> delay_p99 = {};
};

}  // namespace surtitle
