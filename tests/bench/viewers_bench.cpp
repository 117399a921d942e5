// Measures the delays of words to thousands of viewers of a channel.
//
//   viewers_bench --url ws://127.0.0.1:8765 --log LOG --viewers 5000 --seconds 60 --pid PID
//
// One sender at the log's pace and all viewers are in this process; the daemon runs already. The
// delay of a word lasts from the sending of the last source word before it until a viewer has read
// the message. It includes the translation, the daemon's sending and this process's reading. Fails
// unless every viewer receives every word.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/base/fd_limit.h"
#include "daemon/client/client.h"
#include "daemon/replay/replay_input.h"
#include "daemon/replay/timed_transcript.h"

// GCC 12 destroys temporaries of a co_await expression twice, so coroutines here name them.
namespace surtitle {
namespace {

constexpr std::string_view kChannel = "viewers-bench";

struct Options {
  std::string url = "ws://127.0.0.1:8765";
  std::string log;
  int viewers = 5000;
  double seconds = 60;
  int pid = 0;
};

// All writes, and their delays to the viewers.
class Tally {
 public:
  void sent(TimePoint now) { last_sent_ = now; }

  void seen(std::string_view message, TimePoint now) {
    if (!message.starts_with(R"({"type":"write")")) {
      return;
    }
    const auto [entry, first] = writes_.try_emplace(std::string(message), Write{last_sent_, 0});
    ++entry->second.viewers;
    delays_.push_back(std::chrono::duration<float, std::milli>(now - entry->second.cause).count());
  }

  // Prints the results. Returns true if every viewer has received every write.
  bool report(int viewers) {
    std::sort(delays_.begin(), delays_.end());
    std::size_t missed = 0;
    for (const auto& [message, write] : writes_) {
      missed += static_cast<std::size_t>(viewers - write.viewers);
    }
    std::printf("%zu words to %d viewers, %zu deliveries, %zu missing\n", writes_.size(), viewers,
                delays_.size(), missed);
    if (!delays_.empty()) {
      std::printf("delay ms: p50 %.1f  p95 %.1f  p99 %.1f  p99.9 %.1f  max %.1f\n", at(0.5),
                  at(0.95), at(0.99), at(0.999), delays_.back());
    }
    return missed == 0 && !delays_.empty();
  }

 private:
  struct Write {
    TimePoint cause;
    int viewers = 0;
  };

  double at(double share) const {
    return delays_[static_cast<std::size_t>(share * static_cast<double>(delays_.size() - 1))];
  }

  TimePoint last_sent_;
  std::unordered_map<std::string, Write> writes_;
  std::vector<float> delays_;
};

double resident_mib(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) {
      return std::stod(line.substr(6)) / 1024;
    }
  }
  return 0;
}

asio::awaitable<void> watch(Client& viewer, Tally& tally) {
  while (true) {
    const std::optional<std::string_view> message = co_await viewer.read();
    if (!message) {
      co_return;
    }
    tally.seen(*message, Clock::now());
  }
}

// Reads and ignores all messages until the connection ends.
asio::awaitable<void> ignore(Client& sender) {
  bool open = true;
  while (open) {
    const std::optional<std::string_view> message = co_await sender.read();
    open = message.has_value();
  }
}

asio::awaitable<void> send(Client& sender, const TimedTranscript& log, double seconds,
                           Tally& tally) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const TimePoint begin = Clock::now();
  protocol::Start start;
  start.source = "de";
  start.target = "en";
  start.channel = kChannel;
  const protocol::ClientMessage first = start;
  co_await sender.send(first);
  std::int64_t seq = 0;
  for (double round = 0; round < seconds; round += log.length) {
    for (const TimedText& text : log.texts) {
      if (round + text.time > seconds) {
        break;
      }
      timer.expires_at(begin + to_duration(Seconds(round + text.time)));
      co_await timer.async_wait(asio::use_awaitable);
      tally.sent(Clock::now());
      const protocol::ClientMessage source = protocol::Source{++seq, text.text, std::nullopt};
      co_await sender.send(source);
    }
  }
  const protocol::ClientMessage finish = protocol::Finish();
  co_await sender.send(finish);
}

asio::awaitable<void> measure(const Options& options, const TimedTranscript& log, bool& complete) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const WebSocketUrl url = parse_websocket_url(options.url);
  Tally tally;
  std::vector<std::unique_ptr<Client>> viewers(static_cast<std::size_t>(options.viewers));
  const double before = resident_mib(options.pid);
  const TimePoint begin = Clock::now();
  const std::string path = "/v1/channels/" + std::string(kChannel);
  for (std::unique_ptr<Client>& viewer : viewers) {
    viewer = std::make_unique<Client>(executor);
    co_await viewer->connect(url, path);
    asio::co_spawn(executor, watch(*viewer, tally), asio::detached);
  }
  std::printf("%d viewers connected within %.1f s\n", options.viewers,
              Seconds(Clock::now() - begin).count());
  const double idle = resident_mib(options.pid);
  Client sender(executor);
  co_await sender.connect(url, "/v1/stream");
  asio::co_spawn(executor, ignore(sender), asio::detached);
  co_await send(sender, log, options.seconds, tally);
  asio::steady_timer timer(executor, std::chrono::seconds(2));  // for the last messages
  co_await timer.async_wait(asio::use_awaitable);
  complete = tally.report(options.viewers);
  if (options.pid != 0) {
    std::printf(
        "memory MiB: %.1f before, %.1f with the viewers, %.1f after the talk; %.1f KiB a viewer\n",
        before, idle, resident_mib(options.pid),
        (resident_mib(options.pid) - before) * 1024 / options.viewers);
  }
  for (const auto& viewer : viewers) {
    viewer->close();
  }
}

}  // namespace
}  // namespace surtitle

int main(int argc, char** argv) {
  using namespace surtitle;
  Options options;
  CLI::App app("Measures the delays of words to the viewers of a channel");
  app.add_option("--url", options.url, "URL of surtitled")->capture_default_str();
  app.add_option("--log", options.log, "timed words, as for surtitle replay")->required();
  app.add_option("--viewers", options.viewers)->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds)->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--pid", options.pid, "process of the daemon, to measure its memory");
  CLI11_PARSE(app, argc, argv);
  raise_fd_limit();
  try {
    const TimedTranscript log = read_replay_input(options.log, {}).transcript;
    asio::io_context io(1);
    std::exception_ptr failure;
    bool complete = false;
    asio::co_spawn(io, measure(options, log, complete), [&](const std::exception_ptr& error) {
      failure = error;
      io.stop();
    });
    io.run();
    if (failure) {
      std::rethrow_exception(failure);
    }
    return complete ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "viewers_bench: %s\n", error.what());
    return 2;
  }
}
