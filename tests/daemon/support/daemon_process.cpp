#include "tests/daemon/support/daemon_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/program_path.h"

namespace surtitle {
namespace {

constexpr const char* kScripted = "surtitled_scripted";

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("pipe2 failed");
  }
  return ends;
}

std::string read_all(int& descriptor) {
  std::string text;
  std::array<char, 4096> bytes{};
  ssize_t count = 0;
  while ((count = read(descriptor, bytes.data(), bytes.size())) != 0) {
    if (count > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      break;
    }
  }
  close(std::exchange(descriptor, -1));
  return text;
}

// Returns pointers into `texts`, as exec() expects them. They are valid while `texts` is.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

std::string read_line(int descriptor) {
  std::string line;
  char c = 0;
  while (read(descriptor, &c, 1) == 1 && c != '\n') {
    line += c;
  }
  return line;
}

}  // namespace

DaemonProcess::DaemonProcess(const std::vector<std::string>& flags, Program program) {
  start_with_defaults(flags, program);
  wait_until_ready();
}

DaemonProcess::DaemonProcess(const std::vector<std::string>& flags, Service service)
    : DaemonProcess(flags, std::move(service), Readiness::kLater) {
  wait_until_ready();
}

DaemonProcess::DaemonProcess(const std::vector<std::string>& flags, Service service,
                             Readiness /*later*/)
    : service_(std::move(service)) {
  start_with_defaults(flags, Program::kScripted);
}

void DaemonProcess::start_with_defaults(const std::vector<std::string>& flags, Program program) {
  const bool scripted = program == Program::kScripted;
  const std::vector<std::pair<std::string, std::string>> defaults{
      {"--port", "0"},
      {"--models", scripted ? "scripted" : "de-en-gma-small"},
      {"--web", SURTITLE_SOURCE_DIR "/tests/daemon/support/web"},
      {"--log-level", "off"},
      {"--admission-max-delay-p95", "0"},  // the machine may be busy with other tests
      {"--journal-path", state_.journal()}};
  std::vector<std::string> all = flags;
  for (const auto& [flag, value] : defaults) {
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) {
      all.insert(all.end(), {flag, value});
    }
  }
  start(program_path(scripted ? kScripted : "surtitled"), all);
}

void DaemonProcess::wait_until_ready() {
  ready_line_ = read_line(out_);
  const std::size_t colon = ready_line_.rfind(':');
  if (colon == std::string::npos) {
    throw std::runtime_error("the daemon did not become ready: " + wait().err);
  }
  port_ = std::stoi(ready_line_.substr(colon + 1));
}

DaemonProcess::~DaemonProcess() {
  if (process_ > 0) {
    signal(SIGKILL);
    wait();
  }
}

void DaemonProcess::start(const std::string& program, const std::vector<std::string>& flags) {
  const std::array<int, 2> out = make_pipe();
  const std::array<int, 2> err = make_pipe();
  std::vector<std::string> texts{program};
  if (!service_.sockets.empty()) {
    // LISTEN_PID is the number of a process that does not exist yet; its own shell knows it.
    texts = {"/bin/sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh", program};
  }
  texts.insert(texts.end(), flags.begin(), flags.end());
  const std::vector<char*> arguments = pointers_to(texts);
  std::vector<std::string> variables = service_.environment;
  if (!service_.sockets.empty()) {
    variables.push_back("LISTEN_FDS=" + std::to_string(service_.sockets.size()));
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  const std::vector<char*> environment = pointers_to(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  for (std::size_t i = 0; i < service_.sockets.size(); ++i) {
    posix_spawn_file_actions_adddup2(&actions, service_.sockets[i], static_cast<int>(3 + i));
  }
  const int failed = posix_spawn(&process_, arguments.front(), &actions, nullptr, arguments.data(),
                                 environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
  if (failed != 0) {
    process_ = -1;
    throw std::runtime_error("cannot start " + program);
  }
}

void DaemonProcess::signal(int number) const { kill(process_, number); }

int DaemonProcess::open_files() const {
  const std::filesystem::directory_iterator files("/proc/" + std::to_string(process_) + "/fd");
  return static_cast<int>(std::distance(begin(files), end(files)));
}

std::size_t DaemonProcess::memory_bytes() const {
  std::ifstream file("/proc/" + std::to_string(process_) + "/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void DaemonProcess::limit_files(int most) const {
  const auto files = static_cast<rlim_t>(most);
  const rlimit limit{files, files};
  if (prlimit(process_, RLIMIT_NOFILE, &limit, nullptr) != 0) {
    throw std::runtime_error("prlimit failed");
  }
}

void DaemonProcess::close_log() { close(std::exchange(err_, -1)); }

Ended DaemonProcess::wait() {
  Ended ended;
  std::thread errors([&] { ended.err = read_all(err_); });  // both pipes, so that neither fills up
  ended.out = read_all(out_);
  errors.join();
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

Ended DaemonProcess::run(const std::vector<std::string>& flags) { return run(flags, Service()); }

Ended DaemonProcess::run(const std::vector<std::string>& flags, Service service) {
  DaemonProcess process{Unstarted{}};
  process.service_ = std::move(service);
  std::vector<std::string> all = flags;
  if (std::find(flags.begin(), flags.end(), "--journal-path") == flags.end()) {
    all.insert(all.end(), {"--journal-path", "none"});
  }
  process.start(program_path(kScripted), all);
  return process.wait();
}

}  // namespace surtitle
