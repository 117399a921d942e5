// Memory runs out at the n-th allocation, for every n: of the network thread, of the rounds of the
// batching loop and of the journal, or of a translator. Meanwhile messages are parsed and written,
// a session runs, and senders and viewers connect, send, are cut off and return in a registry, with
// a journal and without. A failure on the network thread costs one connection, one in a translator
// its sentences; one in a round is retried. The next client finds everything as before.
//
// A program of its own, because it replaces operator new.
#include "tests/failing_allocations.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/daemon/streams/registry_fixture.h"
#include "tests/daemon/support/quiet_log.h"
#include "tests/daemon/support/scripted_stream.h"

namespace surtitle {
namespace {

constexpr const char* kChannel = "longer-than-a-string-holds-in-itself";
constexpr const char* kStart =
    R"({"type":"start","source":"de","target":"en","source_form":"spoken",)"
    R"("channel":"longer-than-a-string-holds-in-itself"})";
constexpr const char* kSource =
    R"({"type":"source","seq":1,"text":"Guten Morgen. Und","time":1.5})";
constexpr const char* kHypothesis =
    R"({"type":"hypothesis","seq":2,"text":"noch ein Satz","final":true})";
constexpr const char* kFinish = R"({"type":"finish"})";

TEST(FailingAllocations, BreakNoMessageOfTheProtocol) {
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

TEST(FailingAllocations, BreakNoSession) {
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

// --- in a registry ---

// Runs a sender and a viewer from beginning to end; returns the messages that the viewer received.
std::string speak(RegistryFixture& fixture, Stream::Kind kind) {
  const auto watching = viewer(fixture, kChannel);
  const auto speaking = sender(fixture, kind);
  for (const char* message : {kStart, kSource, kHypothesis, kFinish}) {
    speaking->say(message);
    fixture.run();
  }
  speaking->leave(/*on_purpose=*/true);
  fixture.run();
  watching->leave(/*on_purpose=*/true);
  std::string shown;
  for (const std::string& message : watching->received()) {
    shown += message;
  }
  return shown;
}

// Checks that the registry is as before: the channel is free, the next sender is translated,
// nothing is left.
void expect_nothing_left(RegistryFixture& fixture, Stream::Kind kind) {
  const std::string next = speak(fixture, kind);
  EXPECT_NE(next.find("UND NOCH EIN SATZ"), std::string::npos) << next;
  fixture.pass(std::chrono::minutes(1));
  EXPECT_TRUE(fixture.streams().infos().empty());
  bool drained = false;
  fixture.streams().drain(StreamRegistry::DrainMode::kFinish, [&] { drained = true; });
  fixture.run();
  EXPECT_TRUE(drained);
  EXPECT_EQ(fixture.open_sentences(), 0);
}

class FailingAllocationsOn : public testing::TestWithParam<Shortage> {
 protected:
  static bool only_in_rounds() { return GetParam().of == Part::kAside; }
  static int by_part(int network, int rounds, int translator) {
    const Part of = GetParam().of;
    return of == Part::kNetwork ? network : of == Part::kAside ? rounds : translator;
  }
};

class FailingAllocationsOfTheDaemonOn : public FailingAllocationsOn {};

TEST_P(FailingAllocationsOn, AffectOnlyOneConnection) {
  const QuietLog quiet;
  const int allocations = fail_each_allocation(
      [&] {
        std::optional<EnoughMemory> enough(std::in_place);
        RegistryFixture fixture(RegistryFixture::With::kNothing);
        enough.reset();
        const std::string shown = speak(fixture, Stream::Kind::kEphemeral);
        enough.emplace();
        EXPECT_TRUE(!only_in_rounds() || shown.find("UND NOCH EIN SATZ") != std::string::npos);
        expect_nothing_left(fixture, Stream::Kind::kEphemeral);
      },
      GetParam());
  EXPECT_GT(allocations, by_part(200, 20, 3));
}

// --- with a journal ---

// The state of a stream as its client knows it, over all of the client's connections.
class ClientState {
 public:
  void update(TestConnection& guest) {
    for (const std::string& text : guest.received()) {
      const auto parsed = protocol::parse_server_message(text);
      const auto& message = std::get<protocol::ServerMessage>(parsed);
      if (const auto* ready = std::get_if<protocol::Ready>(&message)) {
        resume.stream = ready->stream.value_or("");
        resume.key = ready->resume ? ready->resume->key : "";
        stored = ready->resume && ready->resume->seq ? *ready->resume->seq : 0;
      } else if (const auto* ack = std::get_if<protocol::Ack>(&message)) {
        resume.seq = ack->seq;
      } else if (const auto* bye = std::get_if<protocol::Bye>(&message)) {
        end = bye->reason;
      } else if (const auto* sentence = std::get_if<protocol::Sentence>(&message)) {
        translation += sentence->target + "\n";
      }
      take_event(protocol::event_of(message), text);
    }
  }

  protocol::Resume resume;
  std::int64_t stored = 0;  // messages that the daemon had when the last connection began
  std::optional<protocol::ByeReason> end;
  std::string translation;
  std::map<std::int64_t, std::string> events;

 private:
  void take_event(std::int64_t event, const std::string& text) {
    if (event > 0) {
      EXPECT_GT(event, resume.event);
      resume.event = event;
      events[event] = text;
    }
  }
};

std::string start_again(const ClientState& known) {
  auto parsed = protocol::parse_client_message(kStart);
  auto message = std::get<protocol::ClientMessage>(parsed);
  std::get<protocol::Start>(message).resume = known.resume;
  return protocol::to_json(message);
}

// A sender and a viewer that are cut off and return.
void speak_through_a_cut(RegistryFixture& fixture, ClientState& known) {
  std::optional<EnoughMemory> enough;
  auto watching = viewer(fixture, kChannel);
  auto speaking = sender(fixture, Stream::Kind::kDurable);
  for (const char* message : {kStart, kSource}) {
    speaking->say(message);
    fixture.run();
  }
  watching->leave(/*on_purpose=*/false);
  speaking->leave(/*on_purpose=*/false);
  fixture.run();
  enough.emplace();
  known.update(*speaking);
  ClientState seen;
  seen.update(*watching);
  if (known.resume.key.empty()) {
    return;  // it never received `ready`
  }
  const std::string start = start_again(known);
  enough.reset();
  speaking = sender(fixture, Stream::Kind::kDurable);
  speaking->say(start);
  fixture.run();
  watching = viewer(fixture, kChannel, ChannelPosition{seen.resume.stream, seen.resume.event});
  for (const char* message : {kHypothesis, kFinish}) {
    speaking->say(message);
    fixture.run();
  }
  speaking->leave(/*on_purpose=*/false);
  fixture.run();
  enough.emplace();
  known.update(*speaking);
}

// The sender returns once more if it has not received the end.
void come_back(RegistryFixture& fixture, ClientState& known) {
  if (known.resume.key.empty() || known.end) {
    return;
  }
  const auto speaking = sender(fixture, Stream::Kind::kDurable);
  speaking->say(start_again(known));
  fixture.run();
  known.update(*speaking);
  if (!known.end) {
    const std::vector<const char*> messages{kSource, kHypothesis, kFinish};
    for (auto i = static_cast<std::size_t>(known.stored); i < messages.size(); ++i) {
      speaking->say(messages[i]);
      fixture.run();
    }
  }
  known.update(*speaking);
  speaking->leave(/*on_purpose=*/true);
  fixture.run();
}

// Checks that everything was sent and received, whatever failed.
void expect_all_of_it(const RegistryFixture& fixture, const ClientState& known) {
  EXPECT_EQ(known.translation, "GUTEN MORGEN\nUND NOCH EIN SATZ\n");
  const StoredStream* stored = fixture.disk.stream(known.resume.stream);
  ASSERT_NE(stored, nullptr);
  for (const auto& [event, line] : stored->lines) {
    const bool source = line.find(R"("type":"source")") != std::string::npos;
    EXPECT_TRUE(source || known.events.contains(event)) << line;
  }
}

TEST_P(FailingAllocationsOn, LoseNothingThatWasAcknowledged) {
  const QuietLog quiet;
  int whole = 0;
  const int allocations = fail_each_allocation(
      [&] {
        std::optional<EnoughMemory> enough(std::in_place);
        RegistryFixture fixture(RegistryFixture::With::kJournal);
        ClientState known;
        enough.reset();
        speak_through_a_cut(fixture, known);
        enough.emplace();
        come_back(fixture, known);
        if (known.end == protocol::ByeReason::kFinished) {
          ++whole;
          expect_all_of_it(fixture, known);
        }
        EXPECT_TRUE(known.end || known.resume.key.empty()) << "the sender received no end";
        EXPECT_TRUE(known.end == protocol::ByeReason::kFinished || !only_in_rounds());
        expect_nothing_left(fixture, Stream::Kind::kDurable);
        EXPECT_EQ(fixture.faults, std::vector<std::string>());
        fixture.restart();  // ends streams without an end in the journal
        fixture.pass(std::chrono::minutes(1));
        EXPECT_EQ(fixture.open_sentences(), 0);
        for (const std::string& name : fixture.disk.names()) {
          EXPECT_TRUE(fixture.disk.stream(name)->history.ended) << name;
        }
      },
      GetParam());
  EXPECT_GT(allocations, by_part(500, 20, 3));
  EXPECT_GT(whole, by_part(1, 1, 0));
}

// --- the end of the daemon ---

TEST_P(FailingAllocationsOfTheDaemonOn, AtItsEndKeepNoClientConnected) {
  const QuietLog quiet;
  const int allocations = fail_each_allocation(
      [&] {
        std::optional<EnoughMemory> enough(std::in_place);
        RegistryFixture fixture(RegistryFixture::With::kJournal);
        const auto watching = viewer(fixture, kChannel);
        const auto speaking = sender(fixture, Stream::Kind::kDurable);
        const auto silent = sender(fixture, Stream::Kind::kDurable);
        for (const char* message : {kStart, kSource}) {
          speaking->say(message);
          fixture.run();
        }
        bool drained = false;
        enough.reset();
        EXPECT_NO_THROW(
            fixture.streams().drain(StreamRegistry::DrainMode::kHandOff, [&] { drained = true; }));
        fixture.run();
        for (const auto& guest : {&silent, &speaking, &watching}) {
          EXPECT_TRUE((*guest)->ended());
          (*guest)->leave(/*on_purpose=*/false);
        }
        enough.emplace();
        fixture.run();
        EXPECT_TRUE(drained);
        EXPECT_EQ(fixture.faults, std::vector<std::string>());
      },
      GetParam());
  EXPECT_GT(allocations, by_part(10, 1, 0));
}

std::string name_of(const testing::TestParamInfo<Shortage>& info) {
  const Part of = info.param.of;
  return std::string(of == Part::kNetwork ? "TheNetworkThread"
                     : of == Part::kAside ? "Rounds"
                                          : "ATranslator") +
         std::to_string(info.param.in_a_row);
}

INSTANTIATE_TEST_SUITE_P(Failures, FailingAllocationsOn,
                         testing::Values(Shortage{1, Part::kNetwork}, Shortage{3, Part::kNetwork},
                                         Shortage{1, Part::kAside}, Shortage{3, Part::kAside},
                                         Shortage{1, Part::kTranslator},
                                         Shortage{3, Part::kTranslator}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Failures, FailingAllocationsOfTheDaemonOn,
                         testing::Values(Shortage{1, Part::kNetwork}, Shortage{3, Part::kNetwork},
                                         Shortage{1, Part::kAside}, Shortage{3, Part::kAside}),
                         name_of);

}  // namespace
}  // namespace surtitle
