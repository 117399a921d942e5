// A process of surtitled_scripted, or of surtitled with a shipped model, on a free port of the
// loopback.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/daemon/support/state_folder.h"

namespace surtitle {

// The exit code and the output of a program that has ended.
struct Ended {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

class DaemonProcess {
 public:
  // Variables and sockets that a service manager passes to the daemon.
  struct Service {
    std::vector<std::string> environment;  // NAME=VALUE
    std::vector<int> sockets;              // become descriptors 3 and up; none may be below 10
  };

  // Returns once the daemon is ready. Defaults unless `flags` have them: --port 0, a journal of its
  // own, no log. Throws std::runtime_error with the daemon's stderr if it ends instead.
  enum class Program { kScripted, kReal };
  explicit DaemonProcess(const std::vector<std::string>& flags = {},
                         Program program = Program::kScripted);
  DaemonProcess(const std::vector<std::string>& flags, Service service);
  // Returns at once; the test calls wait_until_ready().
  enum class Readiness { kLater };
  DaemonProcess(const std::vector<std::string>& flags, Service service, Readiness later);
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;
  // Kills the daemon unless it has ended.
  ~DaemonProcess();

  // REQUIRES: called at most once. Throws as the constructors do.
  void wait_until_ready();
  int port() const noexcept { return port_; }
  const std::string& ready_line() const noexcept { return ready_line_; }

  void signal(int number) const;
  // Resources of the process, and a limit for them.
  int open_files() const;
  std::size_t memory_bytes() const;  // resident
  void limit_files(int most) const;
  pid_t id() const noexcept { return process_; }
  // Closes the reading end of standard error.
  void close_log();
  // Waits for the end. `out` is the output after the ready line.
  Ended wait();

  // Runs the daemon to its end, for command lines that do not serve.
  static Ended run(const std::vector<std::string>& flags);
  static Ended run(const std::vector<std::string>& flags, Service service);

 private:
  struct Unstarted {};
  explicit DaemonProcess(Unstarted /*unused*/) {}
  void start_with_defaults(const std::vector<std::string>& flags, Program program);
  void start(const std::string& program, const std::vector<std::string>& flags);

  Service service_;
  StateFolder state_;  // for its journal, unless `flags` name another
  pid_t process_ = -1;
  int out_ = -1;  // reading ends of the pipes
  int err_ = -1;
  std::string ready_line_;
  int port_ = 0;
};

}  // namespace surtitle
