#include "tests/daemon/support/command_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/program_path.h"

namespace surtitle {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("pipe2 failed");
  }
  return ends;
}

void close_once(int& descriptor) {
  if (descriptor >= 0) {
    close(std::exchange(descriptor, -1));
  }
}

std::string read_up_to(int descriptor, std::size_t count) {
  std::string text;
  std::array<char, 4096> bytes{};
  while (descriptor >= 0 && text.size() < count) {
    const ssize_t got = read(descriptor, bytes.data(), std::min(bytes.size(), count - text.size()));
    if (got > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      break;
    }
  }
  return text;
}

std::string read_all(int& descriptor) {
  std::string text = read_up_to(descriptor, std::string::npos);
  close_once(descriptor);
  return text;
}

}  // namespace

CommandProcess::CommandProcess(const std::vector<std::string>& arguments, Input input) {
  const std::array<int, 2> in = make_pipe();
  const std::array<int, 2> out = make_pipe();
  const std::array<int, 2> err = make_pipe();
  std::vector<std::string> texts{program_path("surtitle")};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input == Input::kPipe) {
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addclose(&actions, STDIN_FILENO);
  }
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  const int failed =
      posix_spawn(&process_, texts.front().c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  in_ = in[1];
  out_ = out[0];
  err_ = err[0];
  if (failed != 0) {
    process_ = -1;
    throw std::runtime_error("cannot start " + texts.front());
  }
  ::signal(SIGPIPE, SIG_IGN);  // a program that does not read its input is no crash of the test
}

CommandProcess::~CommandProcess() {
  if (process_ > 0) {
    signal(SIGKILL);
    wait();
  }
}

void CommandProcess::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(in_, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return;  // the command has ended; wait() returns its error
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
}

void CommandProcess::close_input() { close_once(in_); }

std::string CommandProcess::read(std::size_t count) const { return read_up_to(out_, count); }

void CommandProcess::close_output() { close_once(out_); }

void CommandProcess::signal(int number) const { kill(process_, number); }

Ended CommandProcess::wait() {
  close_input();
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

Ended CommandProcess::run(const std::vector<std::string>& arguments, std::string_view input) {
  CommandProcess process(arguments);
  std::thread writer([&] {
    process.write(input);
    process.close_input();
  });
  std::string out = process.read(std::string::npos);
  writer.join();
  Ended ended = process.wait();
  ended.out = out + ended.out;
  return ended;
}

std::string url_of(const DaemonProcess& daemon) {
  return "ws://127.0.0.1:" + std::to_string(daemon.port());
}

}  // namespace surtitle
