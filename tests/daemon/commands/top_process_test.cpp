// `surtitle top` with a real daemon: in a terminal (a pty), and without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <csignal>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/wire.h"
#include "tests/program_path.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kBegin = "\x1b[?1049h";
constexpr std::string_view kEnd = "\x1b[?1049l";
constexpr std::string_view kDrawn = "\x1b[J";  // after each screen

// `surtitle top` in a terminal of its own.
class Terminal {
 public:
  Terminal(const std::string& url, int columns, int lines) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(lines);
    const std::string program = program_path("surtitle");
    process_ = forkpty(&master_, nullptr, nullptr, &size);
    if (process_ < 0) {
      throw std::runtime_error("forkpty failed");
    }
    if (process_ == 0) {
      execl(program.c_str(), program.c_str(), "top", url.c_str(), nullptr);
      _exit(127);
    }
    // The settings of the terminal, which surtitle must restore.
    tcgetattr(master_, &before_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    close(master_);
  }

  // Returns the output up to this text. Throws if the program ends before.
  std::string read_until(std::string_view text) {
    std::string all;
    while (all.find(text) == std::string::npos) {
      std::array<char, 4096> bytes{};
      const ssize_t count = read(master_, bytes.data(), bytes.size());
      if (count <= 0) {
        throw std::runtime_error("the program has ended: " + all);
      }
      all.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return all;
  }
  std::string read_to_end() {
    std::string all;
    std::array<char, 4096> bytes{};
    ssize_t count = 0;
    while ((count = read(master_, bytes.data(), bytes.size())) > 0) {
      all.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return all;
  }
  // Returns the next screen that is drawn from beginning to end.
  std::string screen() {
    read_until(kDrawn);
    const std::string text = read_until(kDrawn);
    return text.substr(text.rfind("\x1b[H"));
  }
  void type(char key) const { ASSERT_EQ(write(master_, &key, 1), 1); }
  void resize(int columns, int lines) const {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(lines);
    ioctl(master_, TIOCSWINSZ, &size);  // notifies the program
  }
  bool is_as_before() const {
    termios now{};
    tcgetattr(master_, &now);
    return now.c_lflag == before_.c_lflag;
  }
  void signal(int number) const { kill(process_, number); }
  int wait() {
    int status = 0;
    waitpid(std::exchange(process_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int master_ = -1;
  pid_t process_ = -1;
  termios before_{};
};

struct Shape {
  int lines = 0;
  std::size_t longest = 0;
};

Shape shape_of(const std::string& screen) {
  Shape shape;
  std::string_view rest = screen;
  rest.remove_prefix(3);  // the move to the first line
  while (true) {
    const std::size_t end = rest.find("\x1b[K");
    if (end == std::string_view::npos) {
      return shape;
    }
    std::string_view line = rest.substr(0, end);
    line.remove_prefix(line.starts_with("\r\n") ? 2 : 0);
    ++shape.lines;
    shape.longest = std::max(shape.longest, line.size());
    rest.remove_prefix(end + 3);
  }
}

TEST(Top, ShowsADaemonInATerminal) {
  const DaemonProcess daemon;
  TestClient client = start_stream(daemon.port(), "main");
  TestClient viewer(daemon.port(), "/v1/channels/main");
  translate(client, 1, "Guten Tag, meine Damen.");
  Terminal terminal(url_of(daemon), 80, 24);
  terminal.read_until(kBegin);
  const std::string screen = terminal.screen();
  EXPECT_THAT(screen, AllOf(HasSubstr("surtitle top  ws://127.0.0.1:"),
                            HasSubstr("streams           1"), HasSubstr("viewers           1"),
                            HasSubstr("admission  open"), HasSubstr("journal    ok"),
                            HasSubstr("\nscripted "), HasSubstr(" main          gma:delta=1")));
  EXPECT_LE(shape_of(screen).lines, 24);
  EXPECT_LT(shape_of(screen).longest, 80U);
  EXPECT_FALSE(terminal.is_as_before());
  terminal.type('q');
  EXPECT_THAT(terminal.read_to_end(), HasSubstr(kEnd));
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_TRUE(terminal.is_as_before());
}

TEST(Top, AdaptsToTheSizeOfTheWindow) {
  const DaemonProcess daemon;
  TestClient client = start_stream(daemon.port(), "main");
  Terminal terminal(url_of(daemon), 80, 24);
  terminal.screen();
  terminal.resize(30, 5);
  Shape shape = shape_of(terminal.screen());
  while (shape.lines != 5) {
    shape = shape_of(terminal.screen());
  }
  EXPECT_LT(shape.longest, 30U);
  terminal.resize(200, 60);
  while (shape_of(terminal.screen()).lines <= 5) {
  }
}

TEST(Top, RestoresTheTerminalAtASignal) {
  const DaemonProcess daemon;
  for (const bool control_c : {true, false}) {
    Terminal terminal(url_of(daemon), 80, 24);
    terminal.screen();
    if (control_c) {
      terminal.type(3);
    } else {
      terminal.signal(SIGTERM);
    }
    EXPECT_THAT(terminal.read_to_end(), HasSubstr(kEnd));
    EXPECT_EQ(terminal.wait(), 0);
    EXPECT_TRUE(terminal.is_as_before());
  }
}

TEST(Top, WaitsForADaemonThatHasEnded) {
  DaemonProcess daemon;
  Terminal terminal(url_of(daemon), 100, 24);
  terminal.screen();
  daemon.signal(SIGTERM);
  daemon.wait();
  terminal.read_until("is surtitled running there?");
  terminal.type('q');
  EXPECT_THAT(terminal.read_to_end(), HasSubstr(kEnd));
}

TEST(Top, PrintsOnceWithoutATerminal) {
  const DaemonProcess daemon;
  TestClient client = start_stream(daemon.port(), "main");
  const Ended ended = CommandProcess::run({"top", url_of(daemon)});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(StartsWith("surtitle top  ws://"), HasSubstr("\nSTREAM "),
                               Not(HasSubstr("\x1b"))));
}

TEST(Top, PrintsJsonForPrograms) {
  const DaemonProcess daemon;
  TestClient client = start_stream(daemon.port(), "main");
  const Ended ended = CommandProcess::run({"top", "--url", url_of(daemon), "--once", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const auto view = boost::json::parse(ended.out).as_object();
  EXPECT_EQ(view.at("streams").to_number<double>(), 1);
  EXPECT_EQ(text_of(view.at("models").as_array().at(0).as_object(), "model"), "scripted");
  EXPECT_EQ(text_of(view.at("shown").as_array().at(0).as_object(), "channel"), "main");
  EXPECT_GT(view.at("memory_bytes").to_number<double>(), 1e6);
}

TEST(Top, FailsWithoutADaemon) {
  const Ended ended = CommandProcess::run({"top", "ws://127.0.0.1:1", "--once"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("surtitle top: no answer from ws://127.0.0.1:1: "));
}

}  // namespace
}  // namespace surtitle
