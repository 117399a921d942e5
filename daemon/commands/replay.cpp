#include "daemon/commands/replay.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "daemon/commands/stream_options.h"
#include "daemon/many_sockets.h"
#include "daemon/replay_run.h"

namespace surtitle {
namespace {

struct Options {
  std::string log;
  StreamOptions stream;
  double rate = 2.5;
  double speed = 1;
  int streams = 1;
  std::optional<double> duration;
  bool json = false;
  bool print = false;
};

void wait_for_interrupt(asio::signal_set& signals, ReplayRun& replay) {
  signals.async_wait([&signals, &replay](const boost::system::error_code& error, int /*signal*/) {
    if (!error) {
      replay.stop();
      wait_for_interrupt(signals, replay);
    }
  });
}

void serve(asio::io_context& io, ReplayRun& replay) {
  asio::signal_set signals(io, SIGINT, SIGTERM);
  wait_for_interrupt(signals, replay);
  replay.begin([&signals] { signals.cancel(); });
  io.run();
}

void report(ReplayRun& replay, const Options& options) {
  for (const std::string& warning : replay.warnings()) {
    std::cerr << "surtitle replay: " << warning << std::endl;
  }
  if (!replay.all_failed() || options.streams > 1) {
    ReplayReport& found = replay.report();
    std::cout << (options.json ? found.to_json() + "\n" : found.to_table()) << std::flush;
  }
  if (const auto failure = replay.failure()) {
    throw std::runtime_error(*failure);
  }
  if (!std::cout) {
    throw std::runtime_error("the measurements could not be written to standard output");
  }
}

void run(const Options& options) {
  if (options.streams > 1 && !options.stream.channel.empty()) {
    throw CLI::ValidationError("--channel", "a channel takes one stream; leave out --streams");
  }
  allow_many_sockets();
  const ReplayPlan plan{parse_url(options.stream.url),
                        options.stream.start(),
                        read_timed_log(options.log, options.rate),
                        options.speed,
                        options.streams,
                        options.duration};
  // With --json, standard output is for the numbers alone.
  std::FILE* out = options.json ? stderr : stdout;
  SubtitlePrinter printer(out, SubtitlePrinter::style_of(out));
  asio::io_context io(1);
  ReplayRun replay(io.get_executor(), plan, options.print ? &printer : nullptr);
  serve(io, replay);
  printer.finish();
  report(replay, options);
}

}  // namespace

void add_replay_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "replay", "Say a log of timed words again, to one stream or to thousands, and measure");
  auto options = std::make_shared<Options>();
  command
      ->add_option("log", options->log,
                   "JSON lines {\"time\": seconds, \"text\": \"..\"}, or plain text; - reads "
                   "standard input")
      ->required();
  command->add_option("--rate", options->rate, "words a second of plain text")
      ->capture_default_str()
      ->check(above_zero());
  command->add_option("--speed", options->speed, "2 says the log in half its time")
      ->capture_default_str()
      ->check(above_zero());
  command->add_option("--streams", options->streams, "copies at once, with staggered starts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--duration", options->duration,
                   "seconds of each stream, starting over at the log's end (default: the log once)")
      ->check(above_zero());
  command->add_flag("--json", options->json, "print one JSON object instead of the table");
  command->add_flag("--print", options->print, "show the first stream's translation as it comes");
  add_stream_options(*command, options->stream);
  command->footer(
      "Write delay: from the sending of the source word that a write needed to its arrival here.\n"
      "AL and DAL are means over sentences, in words. Exit code 1 where a stream failed.\n"
      "Examples:\n"
      "  surtitle replay talk.jsonl --channel main --print\n"
      "  surtitle replay talk.txt --rate 2.5 --streams 1000 --duration 60 --json");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
