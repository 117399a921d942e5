// Checks each message of the daemon on one connection against the contents of the disk.
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
  // Adds violations to `faults`. `asked`: the stream that a viewer asks to continue.
  InvariantChecker(const SimulatedDisk& disk, std::vector<std::string>& faults,
                   std::string asked = {})
      : disk_(disk), faults_(faults), stream_(std::move(asked)) {}

  void on_message(std::string_view text);

 private:
  void check_ack(const protocol::Ack& ack);
  void check_event(std::int64_t event, std::string_view text);

  const SimulatedDisk& disk_;
  std::vector<std::string>& faults_;
  std::string stream_;
  std::int64_t acknowledged_ = 0;
  int backlog_ = 0;  // messages of a snapshot to come, which the journal does not have in this form
};

}  // namespace surtitle
