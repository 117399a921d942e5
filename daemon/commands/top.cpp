#include "daemon/commands/top.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "daemon/base/clock.h"
#include "daemon/client/http_get.h"
#include "daemon/commands/stream_options.h"
#include "daemon/terminal/full_screen.h"
#include "daemon/terminal/top_view.h"

namespace surtitle {
namespace {

constexpr std::chrono::seconds kPause{1};
constexpr int kStreams = 200;  // requested from the daemon; a screen has fewer lines
constexpr int kManyLines = 1000;
constexpr int kManyColumns = 200;

struct Options {
  StreamOptions daemon;
  bool once = false;
  bool json = false;
};

// Reads the state of a daemon repeatedly.
class TopSource {
 public:
  explicit TopSource(WebSocketUrl url)
      : url_(std::move(url)), before_(http_get(url_, "/metrics")), looked_(Clock::now()) {}

  const std::string& url() const noexcept { return url_.text; }

  // Returns the daemon's state, with rates since the previous call.
  TopView look() {
    MetricsScrape now(http_get(url_, "/metrics"));
    const TimePoint time = Clock::now();
    const std::string streams =
        http_get(url_, "/v1/admin/streams?limit=" + std::to_string(kStreams));
    const double seconds = std::max(Seconds(time - looked_).count(), 0.001);
    TopView view = make_top_view(now, before_, seconds, streams);
    before_ = std::move(now);
    looked_ = time;
    return view;
  }

 private:
  const WebSocketUrl url_;
  MetricsScrape before_;
  TimePoint looked_;
};

void print_once(TopSource& source, bool json) {
  std::this_thread::sleep_for(kPause);
  const TopView view = source.look();
  if (json) {
    std::cout << to_json(view) << "\n";
  } else {
    for (const std::string& line : to_screen(view, source.url(), kManyColumns, kManyLines)) {
      std::cout << line << "\n";
    }
  }
  std::cout << std::flush;
}

void print_json(TopSource& source) {
  while (std::cout) {
    print_once(source, /*json=*/true);
  }
}

// Shows the view until a key or a signal ends it. While the daemon does not answer, the last view
// stays, with the error in place of the URL.
void show(TopSource& source) {
  constexpr char kControlC = 3;
  FullScreen screen;
  std::optional<TopView> view;
  std::string trouble;
  TimePoint next = Clock::now() + kPause;
  while (true) {
    if (Clock::now() >= next || !view) {
      try {
        view = source.look();
        trouble.clear();
      } catch (const std::exception& failure) {
        trouble = failure.what();
        view = view.value_or(TopView());
      }
      next = Clock::now() + kPause;
    }
    const FullScreen::Size size = screen.size();
    std::vector<std::string> lines =
        to_screen(*view, trouble.empty() ? source.url() : trouble, size.columns - 1, size.lines);
    screen.show(lines);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    const FullScreen::Event event = screen.wait(std::max(left, std::chrono::milliseconds(0)));
    const bool quits = event == FullScreen::Event::kKey &&
                       (screen.key() == 'q' || screen.key() == 'Q' || screen.key() == kControlC);
    if (quits || event == FullScreen::Event::kEnd) {
      return;
    }
  }
}

void run(const Options& options) {
  TopSource source(options.daemon.daemon_url());
  if (options.json && !options.once) {
    print_json(source);
  } else if (options.once || options.json || !FullScreen::is_there()) {
    print_once(source, options.json);
  } else {
    show(source);
  }
}

}  // namespace

void add_top_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("top", "Show streams, delays, batches and memory of a running daemon");
  auto options = std::make_shared<Options>();
  add_daemon_options(*command, options->daemon);
  command->get_option("--url")->option_text("URL");
  command->add_option("url", options->daemon.url, "the same as --url")
      ->excludes("--url")
      ->check(CLI::Validator(url_problem, ""))
      ->option_text("URL");
  command->add_flag("--once", options->once,
                    "print the values of one second, then exit; the default if standard input or "
                    "output is not a terminal");
  command->add_flag("--json", options->json,
                    "print one JSON object per second; with --once a single one");
  command->footer(
      "q quits. The streams with the longest delays are listed first. A stream's delays are\n"
      "those since its start, all other values those of the last second. If the daemon requires\n"
      "tokens, top needs the role admin.\n"
      "Examples:\n"
      "  surtitle top\n"
      "  surtitle top https://subtitles.example.org/ --token-file admin\n"
      "  surtitle top --once --json");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
