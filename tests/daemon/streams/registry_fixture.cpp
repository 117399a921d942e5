#include "tests/daemon/streams/registry_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <utility>

#include "daemon/journal/journal.h"
#include "daemon/streams/stream_sender.h"
#include "tests/daemon/support/test_server_options.h"
#include "tests/failing_allocations.h"
#include "tests/simulation/counted_translator.h"

namespace surtitle {

class TestMachine::Hand : public Worker {
 public:
  Hand(TestMachine& machine, Task work) : machine_(machine), runner_(std::move(work)) {
    runner_.begin();
    machine_.hands_.push_back(this);
  }
  ~Hand() override {
    std::erase(machine_.hands_, this);
    runner_.end();
  }

  void wake() override { next_ = Task::kImmediately; }

  bool run_once() {
    if (machine_.now() < next_) {
      return false;
    }
    next_ = Task::kWhenNotified;
    const TimePoint next = runner_.run_once(machine_);
    next_ = std::min(next_, next);
    return true;
  }

  bool short_of_memory() const noexcept { return runner_.short_of_memory(); }

 private:
  TestMachine& machine_;
  TaskRunner runner_;
  TimePoint next_ = Task::kImmediately;
};

std::unique_ptr<Worker> TestMachine::start(Task work) {
  return std::make_unique<Hand>(*this, std::move(work));
}

bool TestMachine::work() {
  const PlaysPart others(Part::kAside);
  return std::count_if(hands_.begin(), hands_.end(), [](Hand* hand) { return hand->run_once(); }) >
         0;
}

bool TestMachine::short_of_memory() const {
  return std::any_of(hands_.begin(), hands_.end(),
                     [](const Hand* hand) { return hand->short_of_memory(); });
}

void TestMachine::let_pass(Clock::duration time) {
  const EnoughMemory enough;
  simulation.at(now() + time, [] {});
  simulation.step();
}

namespace {

// The store of a journal, which never lacks memory.
class RichStore : public JournalStore {
 public:
  explicit RichStore(std::unique_ptr<JournalStore> disk) : disk_(std::move(disk)) {}

  void write(std::span<const JournalEntry> entries) override {
    const EnoughMemory enough;
    disk_->write(entries);
  }
  RecoverableStreams load_recoverable(std::int64_t ended, int channels) override {
    return disk_->load_recoverable(ended, channels);
  }
  bool purge(std::int64_t before) override { return disk_->purge(before); }

 private:
  const std::unique_ptr<JournalStore> disk_;
};

class StageTranslator : public CountedTranslator {
 public:
  using CountedTranslator::CountedTranslator;

  std::optional<SentenceId> open(PolicyPtr policy) override {
    const PlaysPart translator(Part::kTranslator);
    return CountedTranslator::open(std::move(policy));
  }
  void force(SentenceId sentence, std::vector<int> tokens) override {
    const PlaysPart translator(Part::kTranslator);
    CountedTranslator::force(sentence, std::move(tokens));
  }
  void read(SentenceId sentence, std::span<const int> tokens) override {
    const PlaysPart translator(Part::kTranslator);
    CountedTranslator::read(sentence, tokens);
  }
  bool tick(std::vector<Write>& writes) override {
    const PlaysPart translator(Part::kTranslator);
    return CountedTranslator::tick(writes);
  }
};

}  // namespace

RegistryFixture::RegistryFixture(With with) : with_(with) { restart(); }

void RegistryFixture::restart() {
  streams_.reset();
  server_.reset();
  posted_.clear();
  server_ = std::make_unique<ServerContext>(
      test_server_options(), metrics_,
      [this](std::function<void()> work) { post(std::move(work)); }, machine_);
  streams_ = std::make_unique<StreamRegistry>(*server_);
  const auto tokenizer = std::make_shared<ScriptedTokenizer>();
  server_->add_model({Tokenizers(tokenizer), [this, tokenizer] {
                        return std::make_unique<StageTranslator>(tokenizer, ScriptedOptions(),
                                                                 open_sentences_);
                      }});
  if (with_ == With::kNothing) {
    return;
  }
  std::unique_ptr<JournalStore> store = disk.open();
  RecoverableStreams left =
      store->load_recoverable(milliseconds_since_1970(machine_.calendar_time()), /*channels=*/0);
  JournalOptions options;
  options.on_committed = [this](std::shared_ptr<const std::vector<std::uint64_t>> rows) {
    post([this, rows = std::move(rows)] { streams_->on_committed(*rows); });
  };
  server_->use_journal(std::make_unique<Journal>(std::make_unique<RichStore>(std::move(store)),
                                                 metrics_, std::move(options), machine_));
  streams_->restore(std::move(left));
}

void RegistryFixture::run() {
  run_what_is_due();
  while (machine_.short_of_memory()) {
    machine_.let_pass(TaskRunner::kRetryDelay);
    run_what_is_due();
  }
}

void RegistryFixture::run_what_is_due() {
  while (machine_.work() || !posted_.empty()) {
    while (!posted_.empty()) {
      const std::function<void()> work = std::move(posted_.front());
      posted_.pop_front();
      EXPECT_NO_THROW(work());
    }
  }
}

void RegistryFixture::pass(Clock::duration time) {
  machine_.let_pass(time);
  EXPECT_NO_THROW(streams_->on_deadline(machine_.now()));
  run();
}

TestConnection::TestConnection(RegistryFixture& fixture, std::unique_ptr<ConnectionHandler> handler,
                               std::string asked)
    : fixture_(fixture),
      checker_(fixture.disk, fixture.faults, std::move(asked)),
      handler_(std::move(handler)) {
  try {
    handler_->on_open(*this);
  } catch (const std::exception&) {
    handler_.reset();  // it is not read then
    ended_ = true;
  }
}

void TestConnection::say(std::string_view text) {
  attempt([&] { handler_->on_message(text, fixture_.streams().server().now()); });
}

void TestConnection::leave(bool on_purpose) {
  if (handler_) {
    handler_->on_close(on_purpose);
    handler_.reset();
  }
}

// Reports a failure to the handler, as WebsocketSession does.
void TestConnection::attempt(const std::function<void()>& call) {
  if (!handler_ || ended_) {
    return;
  }
  try {
    call();
  } catch (const std::exception& failure) {
    try {
      handler_->on_protocol_error({protocol::ErrorCode::kInternal, failure.what()});
    } catch (const std::exception&) {
      leave(/*on_purpose=*/false);
      ended_ = true;
    }
  }
}

void TestConnection::send(OutgoingText message) {
  if (ended_) {
    return;
  }
  outgoing_.push_back(std::move(message.text));
  const EnoughMemory enough;
  received_.push_back(*outgoing_.back());
  checker_.on_message(received_.back());
}

void TestConnection::end(std::uint16_t /*close_code*/) { ended_ = true; }

Connection::PeerCloseProbe TestConnection::peer_close_probe() {
  return [] { return false; };
}

std::unique_ptr<TestConnection> sender(RegistryFixture& fixture, Stream::Kind kind) {
  auto client = std::make_shared<AuthenticatedClient>(
      unrestricted_grant(), std::vector<std::shared_ptr<ClientQuota>>(), std::vector<Lease>());
  return std::make_unique<TestConnection>(
      fixture, std::make_unique<StreamSender>(fixture.streams(), kind, std::move(client)));
}

std::unique_ptr<TestConnection> viewer(RegistryFixture& fixture, const std::string& channel,
                                       std::optional<ChannelPosition> after) {
  const std::string asked = after ? after->stream : "";
  SubscribeRequest request;
  request.after = std::move(after);
  return std::make_unique<TestConnection>(
      fixture, std::make_unique<Viewer>(fixture.streams(), channel, std::move(request)), asked);
}

}  // namespace surtitle
