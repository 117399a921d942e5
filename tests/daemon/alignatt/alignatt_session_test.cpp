// A client of the protocol alignatt in a registry without sockets: time passes, and memory runs
// out.
#include "daemon/alignatt/alignatt_session.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/daemon/streams/registry_fixture.h"
#include "tests/daemon/support/quiet_log.h"
#include "tests/failing_allocations.h"

namespace surtitle {
namespace {

constexpr const char* kInit =
    R"({"type":"init","protocol_version":1,"source_lang":"de","target_lang":"en","overrides":{}})";
constexpr const char* kWords =
    R"({"type":"update","seq":1,"utterance_id":0,"words":[["Guten",0,500]],"is_final":false,)"
    R"("tail":{"words":[["Morgen,",null,null]]}})";
constexpr const char* kFinal =
    R"({"type":"update","seq":2,"utterance_id":0,"words":[["Guten",0,500],["Abend.",500,900]],)"
    R"("is_final":true})";

// Sends messages to a session, and calls it at its deadlines, as WebsocketSession does.
class AlignattGuest : private Connection {
 public:
  AlignattGuest(RegistryFixture& fixture, std::shared_ptr<AlignattSessions> sessions,
                alignatt::UrlQuery query = {})
      : fixture_(fixture) {
    auto client = std::make_shared<AuthenticatedClient>(
        unrestricted_grant(), std::vector<std::shared_ptr<ClientQuota>>(), std::vector<Lease>());
    session_ = std::make_unique<AlignattSession>(fixture.streams(), std::move(sessions),
                                                 std::move(client), std::move(query));
    call([&] { session_->on_open(*this); });
  }
  ~AlignattGuest() override {
    if (session_) {
      session_->on_close(/*on_purpose=*/false);
    }
  }

  void say(std::string_view text) {
    call([&] { session_->on_message(text, now()); });
    work();
  }

  void work() {
    do {
      fixture_.run();
    } while (tick());
  }

  // Returns the messages since the last call.
  std::string received() { return std::exchange(received_, {}); }
  int close_code() const noexcept { return close_code_; }  // 0: it is open

 private:
  TimePoint now() const { return fixture_.streams().server().now(); }

  bool tick() {
    const auto due = session_ && close_code_ == 0 ? session_->deadline() : std::nullopt;
    if (!due || now() < *due) {
      return false;
    }
    call([&] { session_->on_deadline(now()); });
    return true;
  }

  void call(const std::function<void()>& work) {
    if (!session_ || close_code_ != 0) {
      return;
    }
    try {
      work();
    } catch (const std::exception&) {
      session_->on_close(/*on_purpose=*/false);
      session_.reset();
    }
  }

  void send(OutgoingText message) override {
    const EnoughMemory enough;
    received_ += *message.text + "\n";
  }
  void end(std::uint16_t close_code) override { close_code_ = close_code; }
  void wake() override {}
  PeerCloseProbe peer_close_probe() override {
    return [] { return false; };
  }

  RegistryFixture& fixture_;
  std::unique_ptr<AlignattSession> session_;
  std::string received_;
  int close_code_ = 0;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class AlignattSessionTest : public ::testing::Test {
 protected:
  std::unique_ptr<AlignattGuest> begin(alignatt::UrlQuery query = {}) {
    auto guest = std::make_unique<AlignattGuest>(fixture_, sessions_, std::move(query));
    guest->say(kInit);
    EXPECT_TRUE(has(guest->received(), "init_ok"));
    return guest;
  }
  // Returns the channels of the streams, in order.
  std::vector<std::string> channels() {
    std::vector<std::string> channels;
    for (const StreamInfo& stream : fixture_.streams().infos()) {
      channels.push_back(stream.channel.value_or("-"));
    }
    std::sort(channels.begin(), channels.end());
    return channels;
  }

  const QuietLog quiet_;
  RegistryFixture fixture_{RegistryFixture::With::kJournal};
  std::shared_ptr<AlignattSessions> sessions_ = std::make_shared<AlignattSessions>();
};

TEST_F(AlignattSessionTest, SilentSessionGivesItsChannelToTheNextOne) {
  const auto first = begin();
  first->say(kWords);
  fixture_.pass(AlignattSession::kIdle - std::chrono::seconds(1));
  const auto second = begin();
  EXPECT_EQ(channels(), (std::vector<std::string>{"main", "main-2"}));
  EXPECT_EQ(first->close_code(), 0);
  fixture_.pass(std::chrono::seconds(1));
  const auto third = begin();
  EXPECT_EQ(channels(), (std::vector<std::string>{"main", "main-2"}));
  EXPECT_EQ(first->close_code(), protocol::kCloseNormal);
  EXPECT_EQ(second->close_code(), 0);
}

TEST_F(AlignattSessionTest, SilentSessionGivesUpTheChannelOfTheUrl) {
  const auto first = begin({.channel = "hall"});
  fixture_.pass(AlignattSession::kIdle);
  const auto second = begin({.channel = "hall"});
  EXPECT_EQ(channels(), std::vector<std::string>{"hall"});
  EXPECT_EQ(first->close_code(), protocol::kCloseNormal);
  EXPECT_EQ(second->close_code(), 0);
}

TEST_F(AlignattSessionTest, SilentConnectionIsClosedAfterAWhile) {
  const auto guest = begin();
  fixture_.pass(AlignattSession::kMaxIdle - std::chrono::seconds(1));
  guest->work();
  EXPECT_EQ(guest->close_code(), 0);
  guest->say(kWords);
  fixture_.pass(AlignattSession::kMaxIdle - std::chrono::seconds(1));
  guest->work();
  EXPECT_EQ(guest->close_code(), 0);
  fixture_.pass(std::chrono::seconds(1));
  guest->work();
  EXPECT_EQ(guest->close_code(), protocol::kCloseNormal);
  EXPECT_TRUE(channels().empty());
}

TEST(FailingAllocationsOfAlignatt, AffectOnlyOneConnection) {
  const QuietLog quiet;
  const int allocations = fail_each_allocation([&] {
    std::optional<EnoughMemory> enough(std::in_place);
    RegistryFixture fixture(RegistryFixture::With::kJournal);
    const auto sessions = std::make_shared<AlignattSessions>();
    const auto speak = [&] {
      AlignattGuest guest(fixture, sessions);
      for (const char* message : {kInit, kWords, kFinal}) {
        guest.say(message);
      }
      const EnoughMemory for_the_text;
      return guest.received();
    };
    enough.reset();
    speak();
    enough.emplace();
    EXPECT_TRUE(has(speak(), R"("committed_text":"GUTEN ABEND.")"));
    EXPECT_TRUE(sessions->empty());
    fixture.pass(std::chrono::minutes(10));
    EXPECT_TRUE(fixture.streams().infos().empty());
    EXPECT_EQ(fixture.open_sentences(), 0);
  });
  EXPECT_GT(allocations, 200);
}

}  // namespace
}  // namespace surtitle
