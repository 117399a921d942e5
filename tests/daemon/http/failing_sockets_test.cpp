// A daemon whose n-th write or read of one connection fails, for every n. The client of that
// connection returns and misses nothing, and a stream beside it continues.
//
// A program of its own, because it replaces functions of the system.
#include "tests/daemon/http/failing_sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <stdexcept>
#include <thread>

#include "daemon/access/access_control.h"
#include "daemon/access/client_limits.h"
#include "daemon/base/websocket_url.h"
#include "daemon/http/listener.h"
#include "daemon/http/simuleval_api.h"
#include "daemon/http/static_files.h"
#include "daemon/journal/journal.h"
#include "daemon/journal/sqlite_store.h"
#include "tests/daemon/support/scripted_translator.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/steady_sender.h"
#include "tests/daemon/support/steady_viewer.h"
#include "tests/daemon/support/talk.h"
#include "tests/daemon/support/test_server_options.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::IsEmpty;

// The daemon in this process, with watched sockets.
class WatchedDaemon {
 public:
  WatchedDaemon() {
    JournalOptions options;
    options.on_committed = [this](std::shared_ptr<const std::vector<std::uint64_t>> rows) {
      asio::post(io_, [this, rows = std::move(rows)] { streams_.on_committed(*rows); });
    };
    server_.use_journal(std::make_unique<Journal>(
        open_sqlite_store(state_.journal(), JournalSync::kNormal), metrics_, std::move(options)));
    const auto tokenizer = std::make_shared<ScriptedTokenizer>();
    server_.add_model({Tokenizers(tokenizer), [tokenizer] {
                         return std::make_unique<ScriptedTranslator>(tokenizer, ScriptedOptions());
                       }});
    listener_.start();
    port_ = std::stoi(parse_websocket_url(listener_.urls().front()).port);
    thread_ = std::thread([this] {
      watch_sockets();
      io_.run();
    });
  }
  WatchedDaemon(const WatchedDaemon&) = delete;
  WatchedDaemon& operator=(const WatchedDaemon&) = delete;
  // Waits until the last client has left.
  ~WatchedDaemon() {
    asio::post(io_, [this] {
      streams_.drain(StreamRegistry::DrainMode::kFinish, [this] { io_.stop(); });
    });
    thread_.join();
    streams_.stop();
  }

  int port() const noexcept { return port_; }

 private:
  const StateFolder state_;
  asio::io_context io_{1};
  DaemonMetrics metrics_{"test"};
  ServerContext server_{test_server_options(), metrics_,
                        [this](std::function<void()> work) { asio::post(io_, std::move(work)); }};
  StreamRegistry streams_{server_};
  StaticFiles files_{SURTITLE_SOURCE_DIR "/tests/daemon/support/web"};
  Branding branding_{"", ""};
  SimulEvalAgent simuleval_{streams_};
  ServerTls tls_{{}};
  AccessControl access_{{}};
  ClientLimits limits_{{}};
  const HttpContext context_{server_,
                             streams_,
                             files_,
                             branding_,
                             simuleval_,
                             tls_,
                             access_,
                             limits_,
                             /*open_metrics=*/false,
                             HostAllowlist({}),
                             {}};
  Listener listener_{io_, {"127.0.0.1", 0, 64, {}}, context_};
  int port_ = 0;
  std::thread thread_;
};

// A stream that runs during all failures.
class Bystander {
 public:
  explicit Bystander(int port) : client_(start_stream(port, "beside")) {}

  void expect_continues() {
    send(client_, protocol::Source{++sent_, "Und weiter.", {}});
    EXPECT_EQ(text_of(client_.read_until("sentence"), "target"), "UND WEITER.");
  }

 private:
  TestClient client_;
  std::int64_t sent_ = 0;
};

class FailingSockets : public ::testing::TestWithParam<SocketFault> {
 protected:
  static void SetUpTestSuite() { spdlog::set_level(spdlog::level::off); }

  // Runs `scenario` once for each operation of the daemon on the next connection, which fails.
  void fail_each(int least, const std::function<void(const std::string& channel)>& scenario) {
    Bystander bystander(daemon_.port());
    int n = -1;
    bool failed = true;
    while (failed && !HasFailure()) {
      SCOPED_TRACE("operation " + std::to_string(++n));
      fail_socket(GetParam(), n);
      scenario("channel-" + std::to_string(n));
      failed = socket_has_failed();
      bystander.expect_continues();
    }
    EXPECT_GE(n, least) << "fewer operations than expected";
  }

  int port() const { return daemon_.port(); }
  bool only_slower() const {
    return GetParam() == SocketFault::kWriteTakesOneByte ||
           GetParam() == SocketFault::kReadGivesOneByte;
  }

  const std::vector<std::string> texts_{"Guten",  "Morgen.", "Wir sprechen", "heute",
                                        "gegen.", "Und",     "dann.",        "Ja."};

 private:
  WatchedDaemon daemon_;
};

TEST_P(FailingSockets, SenderReturnsAndMissesNothing) {
  fail_each(4, [this](const std::string& channel) {
    SteadySender sender([this] { return port(); }, start_message(channel));
    sender.run(texts_);
    EXPECT_EQ(sender.received().finished(), translation_of(texts_));
    EXPECT_EQ(sender.received().written(), translation_of(texts_));
    EXPECT_THAT(sender.received().faults(), IsEmpty());
    EXPECT_TRUE(!only_slower() || sender.resumed() == 0);
  });
}

TEST_P(FailingSockets, ViewerReturnsAndMissesNothing) {
  const bool reads =
      GetParam() == SocketFault::kReadFails || GetParam() == SocketFault::kReadGivesOneByte;
  fail_each(reads ? 1 : 3, [this](const std::string& channel) {
    SteadyViewer viewer([this] { return port(); }, channel);
    for (bool begun = false; !begun;) {
      try {
        viewer.begin();
        begun = true;
      } catch (const std::runtime_error&) {  // the connection failed before its `ready`
        continue;
      }
    }
    SteadySender sender([this] { return port(); }, start_message(channel));
    sender.run(texts_);
    viewer.run(translation_of(texts_).size());
    EXPECT_EQ(viewer.received().finished(), translation_of(texts_));
    EXPECT_THAT(viewer.received().faults(), IsEmpty());
    EXPECT_TRUE(!only_slower() || viewer.resumed() == 0);
  });
}

TEST_P(FailingSockets, HttpAnswerIsWholeOrAbsent) {
  fail_each(1, [this](const std::string& /*channel*/) {
    const std::string body = R"({"q": "Guten Morgen.", "source": "de", "target": "en"})";
    const auto ask = [&] {
      return ask_http(port(), "POST /translate HTTP/1.1",
                      "Content-Type: application/json\r\nContent-Length: " +
                          std::to_string(body.size()) + "\r\n",
                      body);
    };
    try {
      const HttpAnswer answer = ask();
      EXPECT_EQ(answer.status, 200);
    } catch (const std::exception&) {
      EXPECT_FALSE(only_slower());
    }
    EXPECT_EQ(ask().status, 200);
  });
}

INSTANTIATE_TEST_SUITE_P(All, FailingSockets,
                         ::testing::Values(SocketFault::kWriteFails,
                                           SocketFault::kWriteIsSentAndFails,
                                           SocketFault::kReadFails, SocketFault::kWriteTakesOneByte,
                                           SocketFault::kReadGivesOneByte),
                         [](const auto& kind) { return name(kind.param); });

}  // namespace
}  // namespace surtitle
