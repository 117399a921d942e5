// The journal's file on a disk whose n-th write, truncation or sync fails, for every n. Rows are
// there, once and in order, as soon as write() has returned: for this process, and for one that
// opens the file after a kill. Once the disk accepts writes again, the journal continues. The same
// holds after a loss of power, as far as journal.sync promises.
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

// The n-th transaction: two streams begin in the first, one of them ends in the last.
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

// Returns the rows that a new process finds in the file if this one is killed now.
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
    // One more may have reached the disk before it reported the failure.
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
  // Returns false if no call failed.
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
        continue;  // the daemon would not start, and report this error
      }
    }
    EXPECT_TRUE(store) << "the journal never opens";
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
  // Retries until the store accepts the entries, as Journal does.
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
    ASSERT_TRUE(written) << "the store never accepts the entries";
    if (number + 1 == kTransactions) {
      expect_first(after_a_kill(file), number + 1, "killed after a success");
    }
  }
};

TEST_P(FailingDisk, LosesNothingThatWasWritten) {
  int n = 0;
  while (run(n) && !HasFailure()) {
    ++n;
  }
  EXPECT_GT(n, 20) << "fewer calls than expected";
}

INSTANTIATE_TEST_SUITE_P(All, FailingDisk,
                         ::testing::Values(Failing{1, SQLITE_FULL, SQLITE_IOERR_FSYNC},
                                           Failing{5, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC,
                                                   JournalSync::kNormal}),
                         [](const auto& kind) { return "Kind" + std::to_string(kind.index); });

// --- loss of power ---

// Returns the number of transactions in a journal, and checks that it is whole.
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
  EXPECT_EQ(rows["s-1"].size(), rows["s-2"].size()) << "there is a part of a transaction";
  for (std::size_t i = 0; i < rows["s-1"].size(); ++i) {
    EXPECT_EQ(rows["s-1"][i].at, static_cast<std::int64_t>(i));
  }
  return rows["s-1"].size();
}

struct Cut {
  int written = 0;        // transactions for which write() had returned
  std::size_t found = 0;  // transactions after the loss of power
};

// Returns nullopt if there are fewer calls.
std::optional<Cut> cut_at(int call, JournalSync sync, std::uint32_t seed) {
  constexpr int kMany = 6;
  constexpr std::size_t kLarge = 600'000;  // leads to some checkpoints of the log
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

TEST_P(PowerLoss, LosesOnlyWhatTheSettingAllowsAndLeavesAWholeJournal) {
  constexpr int kToBegin = 60;  // calls that create the file; each of them is tested
  constexpr int kStep = 97;     // between two tested calls from then on
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
    EXPECT_GT(lost, 0) << "no loss of power loses anything: the test tests nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Journals, PowerLoss,
                         ::testing::Values(JournalSync::kFull, JournalSync::kNormal),
                         [](const auto& sync) {
                           return sync.param == JournalSync::kFull ? "Full" : "Normal";
                         });

// A loss of power loses only data that was not synced.
TEST(JournalSyncs, FullSyncsEachTransactionAndNormalNone) {
  const auto waits = [](const std::string& setting) {
    const StateFolder state;
    const FailingVfs vfs(state.journal());
    const auto store = open_sqlite_store(state.journal(), journal_sync(setting));
    store->write(transaction(0));  // also begins the log
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
