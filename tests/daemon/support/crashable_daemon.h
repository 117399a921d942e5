// A daemon that can be killed and started again, with its port and its journal.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/state_folder.h"

namespace surtitle {

class CrashableDaemon {
 public:
  explicit CrashableDaemon(std::vector<std::string> flags,
                           DaemonProcess::Program program = DaemonProcess::Program::kScripted)
      : flags_(std::move(flags)), program_(program) {
    flags_.insert(flags_.end(), {"--journal-path", state_.journal()});
    daemon_.emplace(flags_, program_);
    port_ = daemon_->port();
    flags_.insert(flags_.end(), {"--port", std::to_string(port_)});
    alive_ = true;
  }

  int port() const noexcept { return port_; }
  // Returns 0 while no daemon runs. Thread-safety: any thread.
  int port_now() const noexcept { return alive_ ? port_ : 0; }

  void kill() {
    daemon_->signal(SIGKILL);
    alive_ = false;
    EXPECT_EQ(daemon_->wait().err, "");
  }

  void come_back() {
    daemon_.emplace(flags_, program_);
    alive_ = true;
  }

 private:
  const StateFolder state_;
  std::vector<std::string> flags_;
  const DaemonProcess::Program program_;
  std::optional<DaemonProcess> daemon_;
  int port_ = 0;
  std::atomic<bool> alive_ = false;
};

}  // namespace surtitle
