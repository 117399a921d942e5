// `surtitle pipe` and its client across cut connections and killed daemons: the output is that of
// an undisturbed run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <csignal>
#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "daemon/client/resuming_client.h"
#include "tests/daemon/pipe/flaky_proxy.h"
#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/crashable_daemon.h"
#include "tests/daemon/support/fault_count.h"
#include "tests/daemon/support/talk.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using Kind = FlakyProxy::Kind;

// The ends of sentences must not depend on when words arrive.
const std::vector<std::string> kNoSilence{"--sentence-silence", "0"};

std::string url_of(int port) { return "ws://127.0.0.1:" + std::to_string(port); }

std::vector<std::string> pipe_to(int port, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"pipe", "--url", url_of(port)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) {
    text += piece;
  }
  return text;
}

// Removes the fields that depend on the clock.
std::string timeless(const std::string& output) {
  std::istringstream lines(output);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('{')) {
      boost::json::object object = boost::json::parse(line).as_object();
      for (const char* key : {"time", "source_time", "event", "emission_time", "end", "metrics"}) {
        object.erase(key);
      }
      line = boost::json::serialize(object);
    }
    text += line + "\n";
  }
  return text;
}

int count_of(const std::string& text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// --- input ---

using Pieces = std::vector<std::string>;

// Returns the words as text, with blank lines that end some sentences in the middle.
Pieces text_of(const std::vector<std::string>& words) {
  Pieces pieces;
  for (std::size_t i = 0; i < words.size(); ++i) {
    pieces.push_back(words[i] + (i % 11 == 7 ? "\n\n" : " "));
  }
  return pieces;
}

// Returns hypotheses of a recogniser, which grow and sometimes have a wrong last word.
template <class Line>
Pieces hypotheses_of(const std::vector<std::string>& words, const Line& line) {
  Pieces pieces;
  std::string so_far;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string before = so_far + (so_far.empty() ? "" : " ");
    const bool ends = words[i].ends_with('.');
    if (i % 5 == 3 && !ends) {
      pieces.push_back(line(before + "falsch", false));
    }
    so_far = before + words[i];
    pieces.push_back(line(so_far, ends));
    so_far = ends ? "" : so_far;
  }
  return pieces;
}

Pieces jsonl_of(const std::vector<std::string>& words) {
  return hypotheses_of(words, [](const std::string& text, bool final) {
    return "{\"text\": \"" + text + "\", \"final\": " + (final ? "true" : "false") + "}\n";
  });
}

Pieces vosk_of(const std::vector<std::string>& words) {
  return hypotheses_of(words, [](const std::string& text, bool final) {
    return std::string(final ? "{\"text\"" : "{\"partial\"") + ": \"" + text + "\"}\n";
  });
}

struct Piped {
  const char* name;
  std::vector<std::string> flags;
  Pieces (*pieces)(const std::vector<std::string>& words);
};

class PipeResume : public ::testing::TestWithParam<Piped> {
 protected:
  // The first sentence has several words, so that there is a hypothesis of it that is not final.
  std::vector<std::string> words() {
    std::vector<std::string> words = talk(random_, 40);
    words.insert(words.begin(), "also");
    return words;
  }

  // Returns the output with a daemon that is not disturbed.
  std::string undisturbed(const Pieces& pieces) const {
    const DaemonProcess daemon(kNoSilence);
    const Ended ended =
        CommandProcess::run(pipe_to(daemon.port(), GetParam().flags), joined(pieces));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, Not(HasSubstr("was restored")));
    return timeless(ended.out);
  }

  const unsigned seed_ = chosen_seed();
  std::mt19937 random_{seed_};
};

TEST_P(PipeResume, ContinuesAfterCutsAndReportsThem) {
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed_));
  constexpr int kCuts = 8;
  const Pieces pieces = GetParam().pieces(words());
  const DaemonProcess daemon(kNoSilence);
  FlakyProxy proxy(daemon.port(), [this, connections = 0]() mutable {
    return connections++ < kCuts
               ? std::optional(FlakyProxy::Cut{2500 + random_() % 5000, Kind::kReset})
               : std::nullopt;
  });
  const Ended ended = CommandProcess::run(pipe_to(proxy.port(), GetParam().flags), joined(pieces));
  EXPECT_EQ(timeless(ended.out), undisturbed(pieces));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_GT(proxy.cuts(), 3);
  const int returns = count_of(ended.err, " was restored after ");
  EXPECT_GT(returns, 0) << ended.err;
  EXPECT_LE(returns, proxy.cuts());
  EXPECT_EQ(count_of(ended.err, "; retrying for 30 s\n"), returns) << ended.err;
}

TEST_P(PipeResume, ContinuesWithADaemonThatIsKilledAtAnyMoment) {
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed_));
  const Pieces pieces = GetParam().pieces(words());
  CrashableDaemon daemon(kNoSilence);
  CommandProcess pipe(pipe_to(daemon.port(), GetParam().flags));
  std::string read;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pipe.write(pieces[i]);
    if (i % (pieces.size() / 4) == pieces.size() / 5) {
      read += pipe.read(1 + random_() % 100);
      daemon.kill();
      daemon.come_back();
    }
  }
  const Ended ended = pipe.wait();
  EXPECT_EQ(timeless(read + ended.out), undisturbed(pieces));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_GT(count_of(ended.err, " was restored after "), 0) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    Each, PipeResume,
    ::testing::Values(
        Piped{"text", {}, text_of}, Piped{"text_to_jsonl", {"--output", "jsonl"}, text_of},
        Piped{"text_to_rows", {"--output", "simulstreaming"}, text_of},
        Piped{"jsonl", {"--format", "jsonl"}, jsonl_of},
        Piped{"vosk", {"--format", "vosk"}, vosk_of},
        Piped{"auto_to_rows", {"--format", "auto", "--output", "simulstreaming"}, vosk_of}),
    [](const auto& param) { return param.param.name; });

// At a cut, much more is on its way than on a stream at the pace of speech.
TEST(PipeFile, LosesNothingThroughCuts) {
  const unsigned seed = chosen_seed();
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const Pieces pieces = text_of(talk(random, 300));
  const DaemonProcess daemon(kNoSilence);
  FlakyProxy proxy(daemon.port(), [&, connections = 0]() mutable {
    return connections++ < 4
               ? std::optional(FlakyProxy::Cut{20000 + random() % 50000, Kind::kReset})
               : std::nullopt;
  });
  const Ended ended = CommandProcess::run(pipe_to(proxy.port()), joined(pieces));
  const Ended undisturbed = CommandProcess::run(pipe_to(daemon.port()), joined(pieces));
  EXPECT_TRUE(ended.out == undisturbed.out) << ended.err;
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(proxy.cuts(), 4);
}

// --- ends ---

class PipeCut : public ::testing::Test {
 protected:
  // Starts a pipe whose daemon is then killed.
  void begin(const std::vector<std::string>& more = {}) {
    std::vector<std::string> flags = kNoSilence;
    flags.insert(flags.end(), more.begin(), more.end());
    daemon_.emplace(flags);
    pipe_ = std::make_unique<CommandProcess>(pipe_to(daemon_->port()));
    pipe_->write("guten ");
    EXPECT_EQ(pipe_->read(5), "GUTEN");
    daemon_->kill();
  }

  std::optional<CrashableDaemon> daemon_;
  std::unique_ptr<CommandProcess> pipe_;
};

TEST_F(PipeCut, SendsWordsOfTheMeantimeAfterwards) {
  begin();
  pipe_->write("Morgen zusammen. Und ");
  daemon_->come_back();
  EXPECT_EQ(pipe_->read(21), " MORGEN ZUSAMMEN.\nUND");  // while the input is still open
  const Ended ended = pipe_->wait();
  EXPECT_EQ(ended.out, "\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST_F(PipeCut, FailsAfterTheTimeToResume) {
  begin({"--resume-timeout", "0.4"});
  EXPECT_EQ(pipe_->read(10), "\n");  // to its end, though its input is still open
  const Ended ended = pipe_->wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err,
              MatchesRegex("surtitle pipe: the connection to ws://[0-9.:]+ was lost: [^\n]*; "
                           "retrying for 0.4 s\n"
                           "surtitle pipe: the connection to ws://[0-9.:]+ was lost: [^\n]*; it "
                           "could not be restored within 0.4 s: cannot connect to [^\n]*\n"));
}

TEST_F(PipeCut, ReportsThatTheStreamIsUnknown) {
  begin();
  const DaemonProcess other({"--port", std::to_string(daemon_->port())});  // with another journal
  EXPECT_EQ(pipe_->read(10), "\n");
  const Ended ended = pipe_->wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("\nsurtitle pipe: cannot resume: there is no such stream"),
                               Not(HasSubstr("was restored"))));
}

TEST_F(PipeCut, InterruptMeanwhileEndsItNormally) {
  begin();
  pipe_->signal(SIGINT);
  daemon_->come_back();
  EXPECT_EQ(pipe_->read(10), "\n");
  const Ended ended = pipe_->wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("was restored after "));
}

TEST_F(PipeCut, SecondInterruptEndsItAtOnce) {
  begin();
  pipe_->signal(SIGINT);
  pipe_->signal(SIGTERM);
  EXPECT_EQ(pipe_->read(10), "\n");
  const Ended ended = pipe_->wait();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("was closed before all input was translated"),
                               Not(HasSubstr("was restored"))));
}

// --- the client ---

// Sends words and `finish`, and keeps the translation.
class Talker {
 public:
  Talker(asio::io_context& io, int port, std::chrono::milliseconds idle)
      : io_(io),
        client_(std::make_shared<ResumingClient>(io.get_executor(), options(port, idle))) {}

  asio::awaitable<void> run(std::vector<std::string> words) {
    co_await client_->open();
    while (true) {
      const std::optional<ResumingClient::Received> received = co_await client_->read();
      if (!received) {
        break;
      }
      if (std::holds_alternative<protocol::Ready>(received->message)) {
        asio::co_spawn(io_, send_words(words), asio::detached);
      } else if (const auto* write = std::get_if<protocol::Write>(&received->message)) {
        written_[write->sentence] += write->text;
      }
    }
  }

  std::string failure() const { return client_->failure().value_or("none"); }
  const std::map<int, std::string>& written() const { return written_; }
  const std::string& warnings() const { return warnings_; }

 private:
  ResumingClientOptions options(int port, std::chrono::milliseconds idle) {
    protocol::Start start;
    start.source = "de";
    start.target = "en";
    return {parse_websocket_url(url_of(port)), start,
            [this](const std::string& warning) { warnings_ += warning + "\n"; }, idle};
  }

  asio::awaitable<void> send_words(std::vector<std::string> words) {
    for (const std::string& word : words) {
      const protocol::ClientMessage source = protocol::Source{0, word, {}};
      co_await client_->send(source);
    }
    const protocol::ClientMessage finish = protocol::Finish();
    co_await client_->send(finish);
  }

  asio::io_context& io_;
  const std::shared_ptr<ResumingClient> client_;
  std::map<int, std::string> written_;
  std::string warnings_;
};

TEST(ResumingClient, NoticesASilentConnection) {
  const unsigned seed = chosen_seed();
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> words = talk(random, 40);
  const DaemonProcess daemon({"--sentence-silence", "0", "--timeouts-idle", "0.5"});
  FlakyProxy proxy(daemon.port(), [&, connections = 0]() mutable {
    return connections++ < 3
               ? std::optional(FlakyProxy::Cut{2500 + random() % 5000, Kind::kSilence})
               : std::nullopt;
  });
  asio::io_context io(1);
  Talker talker(io, proxy.port(), std::chrono::milliseconds(400));
  std::exception_ptr thrown;
  asio::co_spawn(io, talker.run(words), [&](const std::exception_ptr& error) { thrown = error; });
  io.run();
  EXPECT_EQ(thrown, nullptr);
  EXPECT_EQ(talker.failure(), "none");
  EXPECT_EQ(talker.written(), translation_of(words));
  EXPECT_EQ(proxy.cuts(), 3);
  EXPECT_THAT(talker.warnings(), HasSubstr("was lost: the server did not answer for 0.4 s"));
}

}  // namespace
}  // namespace surtitle
