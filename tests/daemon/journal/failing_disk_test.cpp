// The journal's file on a disk whose n-th write, truncation or sync fails, for every n: what
// write() returned for is there, once and in order, for this process and for one that opens the
// file after this one was killed; and once the disk takes writes again, the journal goes on.
// Likewise where the power goes there, as far as journal.sync promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/journal/sqlite_store.h"
#include "tests/daemon/journal/failing_vfs.h"
#include "tests/daemon/support/histories.h"
#include "tests/daemon/support/state_folder.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using Rows = std::map<std::string, std::vector<JournalRow>>;  // by stream

constexpr int kTransactions = 3;
constexpr int kMaxTries = 20;

// The n-th transaction: two streams begin in the first, one ends in the last.
std::vector<JournalEntry> transaction(int n) {
  std::vector<JournalEntry> entries;
  for (const char* name : {"s-1", "s-2"}) {
    JournalEntry entry{.stream = name};
    if (n == 0) {
      entry.begins = JournaledStream{name, "key", {}, 1000, "{}"};
    }
    entry.row = JournalRow{n, "input " + std::to_string(n), std::string(3000, 'x') + "\n"};
    entry.ends = n + 1 == kTransactions && entry.stream == "s-2";
    entries.push_back(std::move(entry));
  }
  return entries;
}

Rows rows_of(JournalStore& store) {
  Rows rows;
  for (const StreamHistory& history : histories_since(store, 0)) {
    rows[history.stream.name] = history.rows;
  }
  return rows;
}

// What is in the file for whoever opens it now, this process having been killed.
Rows after_a_kill(const std::string& file) {
  const StateFolder other;
  for (const char* part : {"", "-wal"}) {
    if (fs::exists(file + part)) {
      fs::copy_file(file + part, other.journal() + part);
    }
  }
  const auto store = open_sqlite_store(other.journal(), JournalSync::kFull);
  return rows_of(*store);
}

void expect_first(const Rows& rows, int transactions, const std::string& what) {
  for (const char* name : {"s-1", "s-2"}) {
    const auto found = rows.find(name);
    const std::size_t count = found == rows.end() ? 0 : found->second.size();
    ASSERT_GE(count, static_cast<std::size_t>(transactions)) << what;
    // One more may have come to the disk before that said that it failed.
    ASSERT_LE(count, static_cast<std::size_t>(transactions) + 1) << what;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(found->second[i].at, static_cast<std::int64_t>(i)) << what;
    }
  }
}

struct Failing {
  int calls = 1;  // in a row
  int write_code = 0;
  int other_code = 0;
  JournalSync sync = JournalSync::kFull;
};

class FailingDisk : public ::testing::TestWithParam<Failing> {
 protected:
  // False: nothing failed.
  bool run(int n) {
    SCOPED_TRACE("call " + std::to_string(n));
    const StateFolder state;
    FailingVfs vfs(state.journal());
    vfs.fail(n, GetParam().calls, GetParam().write_code, GetParam().other_code);
    std::unique_ptr<JournalStore> store;
    for (int tries = 0; !store && tries < kMaxTries; ++tries) {
      try {
        store = open_sqlite_store(state.journal(), GetParam().sync);
      } catch (const std::runtime_error&) {
        continue;  // the daemon does not start, and says why
      }
    }
    EXPECT_TRUE(store) << "it never opens";
    for (int i = 0; store && i < kTransactions && !HasFatalFailure(); ++i) {
      write(*store, i, state.journal());
    }
    if (store) {
      EXPECT_EQ(rows_of(*store)["s-1"].size(), static_cast<std::size_t>(kTransactions));
      store.reset();
      const auto again = open_sqlite_store(state.journal(), GetParam().sync);
      expect_first(rows_of(*again), kTransactions, "another process");
    }
    return vfs.failed();
  }

 private:
  // As Journal does: until the store takes it.
  void write(JournalStore& store, int number, const std::string& file) {
    const std::vector<JournalEntry> entries = transaction(number);
    bool written = false;
    for (int tries = 0; !written && tries < kMaxTries; ++tries) {
      try {
        store.write(entries);
        written = true;
      } catch (const std::runtime_error&) {
        expect_first(after_a_kill(file), number, "killed after a failure");
      }
    }
    ASSERT_TRUE(written) << "it never goes on";
    if (number + 1 == kTransactions) {
      expect_first(after_a_kill(file), number + 1, "killed after a success");
    }
  }
};

TEST_P(FailingDisk, LosesNothingThatWasWrittenWhicheverCallFails) {
  int n = 0;
  while (run(n) && !HasFailure()) {
    ++n;
  }
  EXPECT_GT(n, 20) << "there were fewer calls than there must be";
}

INSTANTIATE_TEST_SUITE_P(All, FailingDisk,
                         ::testing::Values(Failing{1, SQLITE_FULL, SQLITE_IOERR_FSYNC},
                                           Failing{5, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC,
                                                   JournalSync::kNormal}),
                         [](const auto& kind) { return "Kind" + std::to_string(kind.index); });

// --- where the power goes ---

// Transactions that are in a journal, which has to be whole.
std::size_t whole_transactions(const FailingVfs::Disk& disk, const std::string& file) {
  const StateFolder other;
  for (const auto& [name, content] : disk) {
    std::ofstream(other.journal() + name.substr(file.size()), std::ios::binary) << content;
  }
  fs::permissions(other.journal(), fs::perms{0600});
  Rows rows = rows_of(*open_sqlite_store(other.journal(), JournalSync::kFull));
  JournalReader reader(other.journal());
  EXPECT_THAT(reader.faults(), IsEmpty());
  EXPECT_THAT(reader.lost_rows(), IsEmpty());
  EXPECT_EQ(rows["s-1"].size(), rows["s-2"].size()) << "a part of a transaction";
  for (std::size_t i = 0; i < rows["s-1"].size(); ++i) {
    EXPECT_EQ(rows["s-1"][i].at, static_cast<std::int64_t>(i));
  }
  return rows["s-1"].size();
}

struct Cut {
  int written = 0;        // transactions that write() had returned for
  std::size_t found = 0;  // once the power was back
};

// Nothing: there were fewer calls.
std::optional<Cut> cut_at(int call, JournalSync sync, std::uint32_t seed) {
  constexpr int kMany = 6;
  constexpr std::size_t kLarge = 600'000;  // so that the log goes into the file now and then
  const StateFolder state;
  FailingVfs vfs(state.journal());
  std::optional<FailingVfs::Disk> disk;
  int written = 0;
  Cut cut;
  vfs.lose_power(call, seed, [&](const FailingVfs::Disk& has) {
    disk = has;
    cut.written = written;
  });
  const auto store = open_sqlite_store(state.journal(), sync);
  for (; written < kMany && !disk; ++written) {
    std::vector<JournalEntry> entries = transaction(written);
    for (JournalEntry& entry : entries) {
      entry.ends = false;
      entry.row->lines.resize(kLarge, 'x');
    }
    store->write(entries);
  }
  if (!disk) {
    return std::nullopt;
  }
  cut.found = whole_transactions(*disk, state.journal());
  return cut;
}

class PowerLoss : public ::testing::TestWithParam<JournalSync> {};

TEST_P(PowerLoss, TakesWhatTheSettingSaysAndLeavesTheJournalWhole) {
  constexpr int kToBegin = 60;  // to make the file, and each of them
  constexpr int kStep = 97;     // from then on
  std::uint32_t seed = 0;
  int lost = 0;
  int cuts = 0;
  for (int call = 0;; call += call < kToBegin ? 1 : kStep) {
    SCOPED_TRACE("call " + std::to_string(call) + ", seed " + std::to_string(++seed));
    const std::optional<Cut> cut = cut_at(call, GetParam(), seed);
    if (!cut || HasFailure()) {
      break;
    }
    ++cuts;
    EXPECT_LE(cut->found, static_cast<std::size_t>(cut->written) + 1);
    lost += cut->found < static_cast<std::size_t>(cut->written) ? 1 : 0;
  }
  EXPECT_GT(cuts, kToBegin + 40);
  if (GetParam() == JournalSync::kFull) {
    EXPECT_EQ(lost, 0);
  } else {
    EXPECT_GT(lost, 0) << "the power goes without taking anything";
  }
}

INSTANTIATE_TEST_SUITE_P(Journals, PowerLoss,
                         ::testing::Values(JournalSync::kFull, JournalSync::kNormal),
                         [](const auto& sync) {
                           return sync.param == JournalSync::kFull ? "Full" : "Normal";
                         });

// What a loss of power takes is what the disk was not waited for.
TEST(JournalSyncs, FullWaitsForTheDiskAtEachTransactionAndNormalForNone) {
  const auto waits = [](const std::string& setting) {
    const StateFolder state;
    const FailingVfs vfs(state.journal());
    const auto store = open_sqlite_store(state.journal(), journal_sync(setting));
    store->write(transaction(0));  // and the log's own beginning
    const int before = vfs.log_syncs();
    store->write(transaction(1));
    store->write(transaction(2));
    return vfs.log_syncs() - before;
  };
  EXPECT_EQ(waits("full"), 2);
  EXPECT_EQ(waits("normal"), 0);
}

}  // namespace
}  // namespace surtitle
