// What the daemon says on one connection, held at that moment against what the disk has.
//
// Thread-safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "tests/simulation/simulated_disk.h"

namespace surtitle {

class InvariantChecker {
 public:
  // What is wrong goes to `faults`. `asked`: the stream that a viewer wants to go on with.
  InvariantChecker(const SimulatedDisk& disk, std::vector<std::string>& faults,
                   std::string asked = {})
      : disk_(disk), faults_(faults), stream_(std::move(asked)) {}

  void said(std::string_view text);

 private:
  void check_ack(const protocol::Ack& ack);
  void check_event(std::int64_t event, std::string_view text);

  const SimulatedDisk& disk_;
  std::vector<std::string>& faults_;
  std::string stream_;
  std::int64_t acknowledged_ = 0;
  int backlog_ = 0;  // messages that show where things stand, in words of their own
};

}  // namespace surtitle
