// Memory runs out at the n-th allocation of a round of the batching loop or of the journal,
// SQLite's included, for every n. The results must be those with enough memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/journal/journal.h"
#include "daemon/journal/sqlite_store.h"
#include "daemon/translation/batch_loop.h"
#include "policies/registry.h"
#include "tests/daemon/streams/registry_fixture.h"
#include "tests/daemon/support/quiet_log.h"
#include "tests/daemon/support/scripted_translator.h"
#include "tests/failing_allocations.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;

// Runs until no work is left, also after retries. The clock advances by `retry_delay` for each.
void run(TestMachine& machine, Clock::duration retry_delay) {
  const auto work = [&] {
    while (machine.work()) {
    }
  };
  work();
  do {
    machine.let_pass(retry_delay);
    work();
  } while (machine.short_of_memory());
}

// --- the batching loop ---

// The results that a loop has reported.
struct Results {
  std::map<SentenceKey, std::string> texts;
  std::map<SentenceKey, std::string> ends;
  int spaces = 0;
  LoopOccupancy fill;
};

// Allocates memory, as a function of the registry would.
void need_memory() { std::make_unique<std::string>(100, 'x'); }

BatchLoopOptions collect_into(Results& results, const ScriptedTokenizer& tokenizer) {
  BatchLoopOptions options;
  options.inbox_commands = 12;
  options.deliver = [&](const auto& events) {
    need_memory();
    const EnoughMemory enough;
    for (const TranslationEvent& event : *events) {
      if (event.failure || event.end || event.idle) {
        EXPECT_FALSE(results.ends.contains(event.key));
        results.ends[event.key] = event.failure.value_or(event.end ? "end" : "idle");
      } else {
        EXPECT_FALSE(results.ends.contains(event.key));
        results.texts[event.key] += tokenizer.piece(event.token);
      }
    }
  };
  options.on_space = [&] {
    need_memory();
    ++results.spaces;
  };
  options.on_occupancy = [&](const LoopOccupancy& fill) {
    need_memory();
    results.fill = fill;
  };
  options.report = [](const StepReport& /*report*/) { need_memory(); };
  return options;
}

class RichTranslator : public ScriptedTranslator {
 public:
  using ScriptedTranslator::ScriptedTranslator;

  void read(SentenceId sentence, std::span<const int> tokens) override {
    const EnoughMemory enough;
    ScriptedTranslator::read(sentence, tokens);
  }
  bool tick(std::vector<Write>& writes) override {
    const EnoughMemory enough;
    return ScriptedTranslator::tick(writes);
  }
};

using Kind = TranslationCommand::Kind;
using Commands = std::vector<TranslationCommand>;

Commands beginning(const ScriptedTokenizer& tokenizer, SentenceKey key,
                   const std::vector<std::string>& words) {
  Commands commands;
  commands.push_back({Kind::kOpen, key, make_policy("gma:delta=1"), {}});
  for (const std::string& word : words) {
    commands.push_back({Kind::kRead, key, nullptr, tokenizer.encode_word(word)});
  }
  return commands;
}

Commands sentence(const ScriptedTokenizer& tokenizer, SentenceKey key,
                  const std::vector<std::string>& words) {
  Commands commands = beginning(tokenizer, key, words);
  commands.push_back({Kind::kFinish, key, nullptr, {}});
  return commands;
}

// Two sentences that are not finished hold two slots, while others wait. Of those that wait, one is
// rejected when it gets a slot, and one is closed before. Of those in the slots, one is closed and
// the other finished. Then the inbox is full, and two notices of idleness are requested.
Results translate(TestMachine& machine) {
  const QuietLog quiet;
  Results results;
  const auto tokenizer = std::make_shared<ScriptedTokenizer>();
  ScriptedOptions two;
  two.max_sentences = 2;
  BatchLoop loop([&] { return std::make_unique<RichTranslator>(tokenizer, two); },
                 collect_into(results, *tokenizer), machine);
  const auto submit = [&](Commands commands) {
    while (!loop.submit(commands)) {
      run(machine, TaskRunner::kRetryDelay);
    }
  };
  const auto run_all = [&] { run(machine, TaskRunner::kRetryDelay); };
  submit(beginning(*tokenizer, {1, 0, 0}, {"Guten", "Morgen,", "meine"}));
  submit(beginning(*tokenizer, {7, 0, 0}, {"Offen"}));
  run_all();
  submit(sentence(*tokenizer, {2, 0, 0}, {"Ja,", "xx-refuse", "nein."}));
  submit(sentence(*tokenizer, {4, 0, 0}, {"Weg."}));
  run_all();
  EXPECT_EQ(results.fill, (LoopOccupancy{.open = 2, .waiting = 2}));
  loop.close({{4, 0, 0}});
  run_all();
  loop.close({{7, 0, 0}});
  run_all();
  submit(sentence(*tokenizer, {3, 0, 0}, {"Eins", "zwei", "drei", "vier", "fünf", "sechs."}));
  Commands rest = sentence(*tokenizer, {1, 0, 0}, {"sehr", "geehrten", "Damen", "und", "Herren."});
  rest.erase(rest.begin());
  submit(std::move(rest));
  submit({{Kind::kNotifyWhenIdle, {5, 0, 0}, nullptr, {}},
          {Kind::kNotifyWhenIdle, {6, 0, 0}, nullptr, {}}});
  run_all();
  return results;
}

class FailingAllocationsInRounds : public testing::TestWithParam<int> {};

TEST_P(FailingAllocationsInRounds, BatchingLoopLosesAndDoublesNothing) {
  const int allocations = fail_each_allocation(
      [] {
        TestMachine machine;
        const Results results = translate(machine);
        EXPECT_EQ((results.texts.at({1, 0, 0})),
                  "▁GUTEN▁MORGEN,▁MEINE▁SEHR▁GEEHRTEN▁DAMEN▁UND▁HERREN.");
        EXPECT_EQ((results.texts.at({3, 0, 0})), "▁EINS▁ZWEI▁DREI▁VIER▁FüNF▁SECHS.");
        EXPECT_EQ(results.ends,
                  (std::map<SentenceKey, std::string>{{{1, 0, 0}, "end"},
                                                      {{2, 0, 0}, "xx-refuse was read"},
                                                      {{3, 0, 0}, "end"},
                                                      {{5, 0, 0}, "idle"},
                                                      {{6, 0, 0}, "idle"}}));
        EXPECT_EQ(results.spaces, 1);
        EXPECT_EQ(results.fill, LoopOccupancy());
      },
      {GetParam(), Part::kAside});
  EXPECT_GT(allocations, 50);
}

// A sentence whose writes are not delivered yet is closed, and another one gets its slot.
TEST_P(FailingAllocationsInRounds, SentenceGetsNoWritesOfThePreviousOneInItsSlot) {
  const int allocations = fail_each_allocation(
      [] {
        const QuietLog quiet;
        TestMachine machine;
        Results results;
        const auto tokenizer = std::make_shared<ScriptedTokenizer>();
        ScriptedOptions one;
        one.max_sentences = 1;
        BatchLoop loop([&] { return std::make_unique<RichTranslator>(tokenizer, one); },
                       collect_into(results, *tokenizer), machine);
        Commands first = sentence(*tokenizer, {1, 0, 0}, {"Eins", "zwei."});
        loop.submit(first);
        machine.work();
        Commands next = sentence(*tokenizer, {2, 0, 0}, {"Drei."});
        loop.submit(next);
        loop.close({{1, 0, 0}});
        run(machine, TaskRunner::kRetryDelay);
        EXPECT_EQ((results.texts.at({2, 0, 0})), "▁DREI.");
        EXPECT_EQ((results.ends.at({2, 0, 0})), "end");
      },
      {GetParam(), Part::kAside});
  EXPECT_GT(allocations, 10);
}

// --- the journal ---

// SQLite's memory, counted with all other. SQLite has no pool of its own here, so that each of its
// allocations counts.
void* allocate(int size) { return allocate_or_null(static_cast<std::size_t>(size)); }
void release(void* memory) { std::free(memory); }
int size_of(void* memory) { return static_cast<int>(malloc_usable_size(memory)); }
void* resize(void* memory, int size) {
  void* other = allocate(size);
  if (other != nullptr) {
    std::memcpy(other, memory,
                std::min(malloc_usable_size(memory), static_cast<std::size_t>(size)));
    std::free(memory);
  }
  return other;
}
int round_up(int size) { return (size + 7) / 8 * 8; }
int begin(void* /*data*/) { return SQLITE_OK; }
void end(void* /*data*/) {}

const bool sqlite_counts = [] {
  static const sqlite3_mem_methods methods{allocate, release, resize, size_of,
                                           round_up, begin,   end,    nullptr};
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
         sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK;
}();

JournaledStream stream(const std::string& name) {
  return {name, "a key that is longer than a string holds in itself", "a channel", 1, "{}"};
}

JournalRow row(int number) {
  return {number, "input " + std::to_string(number), "lines, longer than a string holds in itself"};
}

// Writes two streams, and entries of a third one without a beginning.
void write(Journal& journal, TestMachine& machine) {
  constexpr std::chrono::milliseconds kJournalRetryDelay{200};
  const auto wait = [&] {
    run(machine, kJournalRetryDelay);
    for (int tries = 5; journal.failing() && tries > 0; --tries) {
      run(machine, kJournalRetryDelay);
    }
    EXPECT_FALSE(journal.failing());
  };
  journal.append(1, {.stream = "s-1", .begins = stream("s-1"), .row = row(0)});
  journal.append(2, {.stream = "s-2", .begins = stream("s-2"), .row = row(0)});
  wait();
  journal.append(1, {.stream = "s-1", .row = row(1)});
  journal.append(9, {.stream = "s-9", .row = row(1)});
  journal.append(1, {.stream = "s-1", .row = row(2)});
  wait();
  journal.append(2, {.stream = "s-2", .row = row(1), .ends = true});
  journal.append(1, {.stream = "s-1", .row = row(3)});
  wait();
}

TEST_P(FailingAllocationsInRounds, JournalLosesAndDoublesNothing) {
  ASSERT_TRUE(sqlite_counts);
  const QuietLog quiet;
  const int allocations = fail_each_allocation(
      [] {
        const TemporaryFolder folder;
        TestMachine machine;
        DaemonMetrics metrics("0");
        std::vector<std::uint64_t> stored;
        std::vector<std::uint64_t> unknown;
        JournalOptions options;
        options.on_committed = [&](const auto& streams) {
          need_memory();
          const EnoughMemory enough;
          stored.insert(stored.end(), streams->begin(), streams->end());
        };
        options.on_unknown_stream = [&](std::uint64_t stream) {
          need_memory();
          const EnoughMemory enough;
          unknown.push_back(stream);
        };
        {
          Journal journal(open_sqlite_store(folder.path() / "journal", JournalSync::kNormal),
                          metrics, std::move(options), machine);
          write(journal, machine);
          EXPECT_THAT(stored, ElementsAre(1, 2, 1, 1, 2, 1));
          EXPECT_THAT(unknown, testing::Each(9));
          EXPECT_FALSE(unknown.empty());
        }
        const auto store = open_sqlite_store(folder.path() / "journal", JournalSync::kNormal);
        EXPECT_THAT(store->read_rows("s-1", 0, 9), ElementsAre(row(0), row(1), row(2), row(3)));
        EXPECT_THAT(store->read_rows("s-2", 0, 9), ElementsAre(row(0), row(1)));
        EXPECT_THAT(store->read_rows("s-9", 0, 9), ElementsAre());
        EXPECT_EQ(store->load_recoverable(0, 0).summaries.size(), 2U);
      },
      {GetParam(), Part::kAside});
  EXPECT_GT(allocations, 100);
}

INSTANTIATE_TEST_SUITE_P(Failures, FailingAllocationsInRounds, testing::Values(1, 3));

}  // namespace
}  // namespace surtitle
