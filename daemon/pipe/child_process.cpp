#include "daemon/pipe/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace surtitle {
namespace {

constexpr off_t kMaxErrorBytes = 4096;  // of standard error, from its end

std::runtime_error start_error(const std::string& program, int error) {
  return std::runtime_error("cannot start " + program + ": " +
                            std::generic_category().message(error));
}

// Returns the result of posix_spawnp().
int spawn(const std::vector<std::string>& command, int output, int errors, pid_t& process) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);  // ends a program whose output is read no longer
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&process, command.front().c_str(), &files, &attributes,
                                 arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  errors_ = memfd_create("errors", MFD_CLOEXEC);
  if (errors_ < 0 || pipe2(ends.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    close(errors_);
    throw start_error(command.front(), error);
  }
  const int error = spawn(command, ends[1], errors_, process_);
  close(ends[1]);
  output_ = ends[0];
  if (error != 0) {
    close(output_);
    close(errors_);
    throw start_error(command.front(), error);
  }
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(output_);
  close(errors_);
}

std::optional<std::string> ChildProcess::failure() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return std::nullopt;
  }
  const std::string line = last_error_line();
  if (!line.empty()) {
    return line;
  }
  return WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                           : "ended by signal " + std::to_string(WTERMSIG(status));
}

std::string ChildProcess::last_error_line() const {
  const off_t size = lseek(errors_, 0, SEEK_END);
  std::string text(kMaxErrorBytes, '\0');
  const ssize_t length =
      pread(errors_, text.data(), text.size(), size > kMaxErrorBytes ? size - kMaxErrorBytes : 0);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    last = line.empty() ? last : line;
  }
  return last;
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace surtitle
