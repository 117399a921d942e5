// A running stream as /v1/admin/streams lists it.
//
// Thread-safety: a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/base/clock.h"

namespace surtitle {

struct StreamInfo {
  std::string name;
  std::optional<std::string> channel;
  bool attached = false;  // has a connection of its sender
  std::string model;      // of the first track
  std::string policy;     // of the first track
  int tracks = 1;
  Seconds age{0};
  int words_in = 0;
  std::int64_t words_out = 0;
  // From a source word to the write that it triggers, since the start of the stream.
  std::optional<Seconds> delay_p50 = {};
  std::optional<Seconds> delay_p99 = {};
};

}  // namespace surtitle
