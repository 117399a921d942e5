// Memory that runs out at the n-th allocation, for every n: on the network thread, while messages
// are parsed and written, a session lives, and a sender and a viewer come, speak and go on a hub.
// What fails is one connection; the next one finds everything as it was.
//
// A program of its own, for it replaces operator new.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>

#include "daemon/stream_sender.h"
#include "daemon/viewer.h"
#include "tests/daemon/patient_options.h"
#include "tests/daemon/scripted_stream.h"
#include "tests/daemon/scripted_translator.h"

namespace {

thread_local long allocations_left = -1;  // below 0: none fails

void* allocate(std::size_t size) {
  if (allocations_left >= 0 && allocations_left-- == 0) {
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace surtitle {
namespace {

// Runs `scenario` once for each of its allocations, which fails. Returns how many there were.
int fail_each_allocation(const std::function<void()>& scenario) {
  for (int n = 0;; ++n) {
    allocations_left = n;
    bool failed = false;
    try {
      scenario();
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    failed = failed || allocations_left < 0;
    allocations_left = -1;
    if (!failed) {
      return n;
    }
  }
}

constexpr const char* kStart =
    R"({"type":"start","source":"de","target":"en","channel":"main","source_form":"spoken"})";
constexpr const char* kSource =
    R"({"type":"source","seq":1,"text":"Guten Morgen. Und","time":1.5})";
constexpr const char* kHypothesis = R"({"type":"hypothesis","text":"noch ein Satz","final":true})";
constexpr const char* kFinish = R"({"type":"finish"})";

TEST(FailingAllocations, InMessagesOfTheProtocol) {
  for (const char* text : {kStart, kSource, kHypothesis, kFinish, R"({"type":"unknown"})", "{"}) {
    EXPECT_GT(fail_each_allocation([&] {
                const auto message = protocol::parse_client_message(text);
                if (const auto* taken = std::get_if<protocol::ClientMessage>(&message)) {
                  protocol::to_json(*taken);
                }
              }),
              0);
  }
}

TEST(FailingAllocations, InASessionsLife) {
  std::vector<std::string> targets;
  const int allocations = fail_each_allocation([&] {
    ScriptedStream stream;
    stream.source("Guten Morgen. Und");
    stream.run();
    stream.receive(protocol::Hypothesis{"noch ein Satz", true, {}});
    stream.receive(protocol::Finish{});
    stream.run();
    targets = stream.targets();
  });
  EXPECT_GT(allocations, 100);
  EXPECT_EQ(targets, (std::vector<std::string>{"GUTEN MORGEN.", "UND NOCH EIN SATZ"}));
}

// A connection without a socket.
class Ear : public Connection {
 public:
  void send(OutgoingText message) override { heard_.push_back(std::move(message.text)); }
  void end(std::uint16_t /*close_code*/) override { ended = true; }
  void reconsider() override {}
  Gone peer_has_left() override {
    return [] { return false; };
  }

  std::string all() const {
    std::string text;
    for (const SharedText& message : heard_) {
      text += *message;
    }
    return text;
  }

  bool ended = false;

 private:
  std::vector<SharedText> heard_;
};

// A hub whose network thread is the test's.
class HubStage {
 public:
  HubStage() {
    const auto tokenizer = std::make_shared<ScriptedTokenizer>();
    hub.add_model({Tokenizers(tokenizer), [tokenizer] {
                     return std::make_unique<ScriptedTranslator>(tokenizer, ScriptedOptions());
                   }});
  }

  // What the batching loop has posted, one after the other, until the stream is over. Nothing of
  // it may throw: it would end the daemon.
  void run_until(const bool& over) {
    while (!over) {
      std::function<void()> work;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !posted_.empty(); });
        work = std::move(posted_.front());
        posted_.pop_front();
      }
      EXPECT_NO_THROW(work());
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;

  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    changed_.notify_one();
  }

  DaemonMetrics metrics_{"test"};

 public:
  Hub hub{patient_options(), metrics_,
          [this](std::function<void()> work) { post(std::move(work)); }};
};

// As WebsocketSession calls a handler: what fails is told, and in the end it is closed.
class Caller {
 public:
  Caller(ConnectionHandler& handler, Ear& ear) : handler_(handler) {
    attempt([&] { handler_.opened(ear); });
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() {
    attempt([&] { handler_.closed(/*on_purpose=*/true); });
  }

  void say(const char* text) {
    attempt([&] { handler_.received(text, Clock::now()); });
  }

 private:
  void attempt(const std::function<void()>& call) {
    try {
      call();
    } catch (const std::bad_alloc& failure) {
      handler_.broken({protocol::ErrorCode::kInternal, failure.what()});
    }
  }

  ConnectionHandler& handler_;
};

// A sender and a viewer from beginning to end; what the viewer was shown.
std::string speak(HubStage& stage) {
  Ear viewer_ear;
  Viewer viewer(stage.hub, "main", {});
  Caller viewing(viewer, viewer_ear);
  Ear ear;
  StreamSender sender(
      stage.hub, Stream::Kind::kPassing,
      std::make_shared<Visitor>(everything(), std::vector<std::shared_ptr<Account>>(),
                                std::vector<Lease>()));
  {
    Caller speaking(sender, ear);
    for (const char* message : {kStart, kSource, kHypothesis, kFinish}) {
      if (!ear.ended) {
        speaking.say(message);
      }
    }
    stage.run_until(ear.ended);
  }
  return viewer_ear.all();
}

TEST(FailingAllocations, OfOneConnectionLeaveTheHubAsItWas) {
  spdlog::set_level(spdlog::level::off);
  HubStage stage;
  const std::string undisturbed = speak(stage);
  EXPECT_NE(undisturbed.find("UND NOCH EIN SATZ"), std::string::npos);
  const int allocations = fail_each_allocation([&] {
    speak(stage);
    const long left = std::exchange(allocations_left, -1);
    const std::string next = speak(stage);
    EXPECT_NE(next.find("UND NOCH EIN SATZ"), std::string::npos) << next;
    allocations_left = left;
  });
  EXPECT_GT(allocations, 200);
}

}  // namespace
}  // namespace surtitle
