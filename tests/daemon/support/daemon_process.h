// Starts surtitled_scripted, or surtitled with a shipped model, on a free port of the loopback and
// ends it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/daemon/support/state_folder.h"

namespace surtitle {

// What a program that ended by itself left behind.
struct Ended {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

class DaemonProcess {
 public:
  // What a service manager gives to the daemon.
  struct Service {
    std::vector<std::string> environment;  // NAME=VALUE
    std::vector<int> sockets;              // become descriptors 3 and on; none below 10
  };

  // Returns once the daemon is ready; the port is --port 0, the journal its own and the log
  // quiet unless `flags` say otherwise. Throws std::runtime_error with its stderr where it ends
  // instead.
  enum class Program { kScripted, kReal };
  explicit DaemonProcess(const std::vector<std::string>& flags = {},
                         Program program = Program::kScripted);
  DaemonProcess(const std::vector<std::string>& flags, Service service);
  // Returns at once; wait_until_ready() is up to the test.
  enum class Readiness { kLater };
  DaemonProcess(const std::vector<std::string>& flags, Service service, Readiness later);
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;
  // Kills it unless it has ended.
  ~DaemonProcess();

  // Once, and throws as the constructors do.
  void wait_until_ready();
  int port() const noexcept { return port_; }
  const std::string& ready_line() const noexcept { return ready_line_; }

  void signal(int number) const;
  // What the process has, and may have no more of.
  int open_files() const;
  std::size_t memory_bytes() const;  // resident
  void limit_files(int most) const;
  pid_t id() const noexcept { return process_; }
  // Nobody reads its standard error any more.
  void close_log();
  // Waits for the end. What it wrote after the ready line is in `out`.
  Ended wait();

  // Runs it to its end, for command lines that do not serve.
  static Ended run(const std::vector<std::string>& flags);
  static Ended run(const std::vector<std::string>& flags, Service service);

 private:
  struct Unstarted {};
  explicit DaemonProcess(Unstarted /*unused*/) {}
  void start_with_defaults(const std::vector<std::string>& flags, Program program);
  void start(const std::string& program, const std::vector<std::string>& flags);

  Service service_;
  StateFolder state_;  // its journal's folder, unless `flags` name another
  pid_t process_ = -1;
  int out_ = -1;  // reading ends of its pipes
  int err_ = -1;
  std::string ready_line_;
  int port_ = 0;
};

}  // namespace surtitle
