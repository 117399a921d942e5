#include "daemon/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "daemon/journal/journal_codec.h"
#include "daemon/journal/sqlite_store.h"
#include "daemon/streams/server_context.h"
#include "tests/daemon/support/histories.h"
#include "tests/daemon/support/journal_lock.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

JournaledStream stream(const std::string& name) {
  return {name, "0f", name == "s-1" ? std::optional<std::string>("main") : std::nullopt, 1000,
          "{\"words\":\"„Grüß Gott“\"}"};
}

JournalRow row(std::int64_t at) { return {at, "{\"n\":" + std::to_string(at) + "}", "a\nb\n"}; }

class SqliteStoreTest : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "state" / "journal.sqlite"; }
  std::unique_ptr<JournalStore> open() const {
    return open_sqlite_store(file(), JournalSync::kFull);
  }

  TemporaryFolder folder_;
};

std::vector<JournalRow> rows_of(JournalReader& reader, const std::string& stream) {
  std::vector<JournalRow> rows;
  reader.each_row(stream, [&rows](std::int64_t number, const JournalRow& row) {
    EXPECT_TRUE(rows.empty() || number > 0);
    rows.push_back(row);
  });
  return rows;
}

void write(JournalStore& store, const std::vector<JournalEntry>& entries) { store.write(entries); }

TEST_F(SqliteStoreTest, ReturnsOpenStreamsInOrder) {
  {
    const auto store = open();
    write(*store, {{.stream = "s-1", .begins = stream("s-1"), .row = row(0)},
                   {.stream = "s-2", .begins = stream("s-2"), .row = row(0)},
                   {.stream = "s-1", .row = row(1)}});
    write(*store,
          {{.stream = "s-2", .row = row(7), .ends = true}, {.stream = "s-1", .row = row(2)}});
  }
  const auto store = open();  // another process
  write(*store, {{.stream = "s-1", .row = row(3)}});
  const std::int64_t never = std::numeric_limits<std::int64_t>::max();
  const std::vector<StreamHistory> open_ones = histories_since(*store, never);
  ASSERT_THAT(open_ones, SizeIs(1));
  EXPECT_EQ(open_ones[0].stream, stream("s-1"));
  EXPECT_FALSE(open_ones[0].ended);
  EXPECT_THAT(open_ones[0].rows, ElementsAre(row(0), row(1), row(2), row(3)));
  const std::vector<StreamHistory> all = histories_since(*store, 0);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_TRUE(all[1].ended);
  EXPECT_THAT(all[1].rows, ElementsAre(row(0), row(7)));
}

TEST_F(SqliteStoreTest, ReturnsTheLastStreamsOfTheLastChannels) {
  const auto store = open();
  const std::vector<std::pair<std::string, std::string>> streams{
      {"s-1", "old"}, {"s-2", "first"}, {"s-3", "first"}, {"s-4", "live"}, {"s-5", "second"}};
  for (const auto& [name, channel] : streams) {
    JournaledStream begun = stream(name);
    begun.channel = channel;
    write(*store, {{.stream = name, .begins = begun, .row = row(0), .ends = channel != "live"}});
  }
  const auto names = [&](int channels) {
    std::vector<std::string> found;
    for (const StreamSummary& summary :
         store->load_recoverable(std::numeric_limits<std::int64_t>::max(), channels).summaries) {
      found.push_back(summary.stream.name);
    }
    return found;
  };
  EXPECT_THAT(names(0), ElementsAre("s-4"));
  EXPECT_THAT(names(3), ElementsAre("s-4", "s-3", "s-5")) << "without s-2 and the old channel";
  EXPECT_THAT(names(9), ElementsAre("s-4", "s-1", "s-3", "s-5"));
}

TEST_F(SqliteStoreTest, WritesAllEntriesOrNone) {
  const auto store = open();
  write(*store, {{.stream = "s-1", .begins = stream("s-1"), .row = row(0)}});
  EXPECT_THROW(
      write(*store, {{.stream = "s-1", .row = row(1)}, {.stream = "unknown", .row = row(0)}}),
      std::runtime_error);
  write(*store, {{.stream = "s-1", .row = row(2)}});
  EXPECT_THAT(histories_since(*store, 0).front().rows, ElementsAre(row(0), row(2)));
}

TEST_F(SqliteStoreTest, NamesAStreamWithoutABeginning) {
  const auto store = open();
  write(*store, {{.stream = "s-1", .begins = stream("s-1"), .row = row(0)}});
  JournalLock lock(file());
  lock.run("DELETE FROM stream");
  lock.commit();
  const auto name_of = [&](const std::string& stream) {
    try {
      write(*store, {{.stream = stream, .row = row(1)}});
      return std::string("written");
    } catch (const UnknownStream& unknown) {
      return unknown.stream();
    }
  };
  EXPECT_EQ(name_of("s-1"), "s-1");
  EXPECT_EQ(name_of("s-2"), "s-2");
}

TEST_F(SqliteStoreTest, PurgesStreamsThatEndedBefore) {
  const auto store = open();
  std::vector<JournalEntry> entries;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "s-" + std::to_string(i);
    entries.push_back({.stream = name, .begins = stream(name), .row = row(0), .ends = i != 3});
  }
  store->write(entries);
  EXPECT_FALSE(store->purge(1000)) << "none has ended by then";
  int purged = 0;
  while (store->purge(std::numeric_limits<std::int64_t>::max())) {
    ++purged;
  }
  EXPECT_EQ(purged, 39);
  const auto left = histories_since(*store, 0);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].stream.name, "s-3");
}

TEST_F(SqliteStoreTest, IsReadableByItsOwnerOnly) {
  const auto store = open();
  write(*store, {{.stream = "s-1", .begins = stream("s-1"), .row = row(0)}});
  for (const auto& entry : std::filesystem::directory_iterator(file().parent_path())) {
    struct stat status {};
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << entry.path();
  }
  struct stat status {};
  ASSERT_EQ(stat(file().parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(SqliteStoreTest, ErrorsNameFileAndReason) {
  const auto open_it = [&] { open(); };
  std::filesystem::create_directories(file().parent_path());
  std::ofstream(file()) << "this is no journal, but a text that is long enough to be seen as one";
  EXPECT_THAT(open_it, ThrowsMessage<std::runtime_error>(
                           HasSubstr(file().string() + ": file is not a database")));
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  EXPECT_THAT(open_it, ThrowsMessage<std::runtime_error>(HasSubstr("cannot open the journal")));
}

TEST_F(SqliteStoreTest, CanBeReadWhileTheDaemonWrites) {
  const auto store = open();
  write(*store, {{.stream = "s-1", .begins = stream("s-1"), .row = row(0)},
                 {.stream = "s-1", .row = row(1), .ends = true}});
  JournalReader reader(file());
  const auto listings = reader.streams();
  ASSERT_THAT(listings, SizeIs(1));
  EXPECT_EQ(listings[0].stream, stream("s-1"));
  EXPECT_TRUE(listings[0].ended);
  EXPECT_THAT(rows_of(reader, "s-1"), ElementsAre(row(0), row(1)));
  EXPECT_THAT(rows_of(reader, "s-2"), IsEmpty());
  EXPECT_THAT(reader.faults(), IsEmpty());
  EXPECT_THAT(reader.lost_rows(), IsEmpty());
}

TEST_F(SqliteStoreTest, HidesPartlyPurgedStreams) {
  const auto store = open();
  std::vector<JournalEntry> entries{{.stream = "s-1", .begins = stream("s-1"), .row = row(0)}};
  for (int i = 1; i < 1500; ++i) {
    entries.push_back({.stream = "s-1", .row = row(i)});
  }
  entries.back().ends = true;
  store->write(entries);
  const std::int64_t ever = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(store->purge(ever));
  EXPECT_THAT(rows_of(*std::make_unique<JournalReader>(file()), "s-1"), SizeIs(500));
  EXPECT_THAT(JournalReader(file()).streams(), IsEmpty());
  EXPECT_THAT(histories_since(*store, 0), IsEmpty());
  EXPECT_TRUE(store->purge(0)) << "a purge that has begun is finished, whatever the time";
  EXPECT_FALSE(store->purge(ever));
  EXPECT_THAT(JournalReader(file()).lost_rows(), IsEmpty());
}

// Returns the error of another user of this machine who reads the journal, or "nothing".
std::string error_for_another_user(const std::filesystem::path& file) {
  int ends[2] = {};
  EXPECT_EQ(pipe(ends), 0);
  const pid_t other = fork();
  if (other == 0) {
    constexpr unsigned kNobody = 65534;
    std::string error = "nothing";
    if (getuid() != 0 || (setgid(kNobody) == 0 && setuid(kNobody) == 0)) {
      try {
        JournalReader(file).streams();
      } catch (const std::runtime_error& refusal) {
        error = refusal.what();
      }
    }
    const bool written = ::write(ends[1], error.data(), error.size()) == std::ssize(error);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string error(4096, '\0');
  error.resize(static_cast<std::size_t>(std::max<ssize_t>(read(ends[0], error.data(), 4096), 0)));
  close(ends[0]);
  waitpid(other, nullptr, 0);
  return error;
}

TEST_F(SqliteStoreTest, ExplainsWhyReadPermissionIsNotEnough) {
  namespace fs = std::filesystem;
  write(*open(), {{.stream = "s-1", .begins = stream("s-1"), .row = row(0)}});
  const std::string sentence = file().string() +
                               ": reading a journal needs write permission for the file and its "
                               "folder; run this as the user "
                               "of the daemon";
  fs::permissions(folder_.path(), fs::perms{0755});
  fs::permissions(file(), fs::perms{0444});
  fs::permissions(file().parent_path(), fs::perms{0777});
  EXPECT_EQ(error_for_another_user(file()), sentence);
  fs::permissions(file(), fs::perms{0666});
  fs::permissions(file().parent_path(), fs::perms{0555});
  EXPECT_EQ(error_for_another_user(file()), sentence);
  fs::permissions(file().parent_path(), fs::perms{0777});
  EXPECT_EQ(error_for_another_user(file()), "nothing");
  fs::permissions(file().parent_path(), fs::perms{0700});
}

// --- the thread ---

// Fails its first `failures` writes, and writes of "s-unknown" without a beginning. It remembers
// the others.
class FakeStore : public JournalStore {
 public:
  explicit FakeStore(int failures) : failures_(failures) {}

  void write(std::span<const JournalEntry> entries) override {
    if (failures_-- > 0) {
      throw std::runtime_error("journal.sqlite: the disk is full");
    }
    bool known = false;
    for (const JournalEntry& entry : entries) {
      known = known || entry.begins;
      if (entry.stream == "s-unknown" && !known) {
        throw UnknownStream("journal.sqlite", entry.stream);
      }
    }
    for (const JournalEntry& entry : entries) {
      written.push_back(entry.row->at);
    }
  }
  RecoverableStreams load_recoverable(std::int64_t /*ended*/, int /*channels*/) override {
    return {};
  }
  bool purge(std::int64_t /*before*/) override { return false; }

  std::vector<std::int64_t> written;

 private:
  int failures_;
};

// Collects the streams of stored entries, and waits for a number of them.
class Stored {
 public:
  void add(const std::vector<std::uint64_t>& streams) {
    const std::lock_guard lock(mutex_);
    streams_.insert(streams_.end(), streams.begin(), streams.end());
    changed_.notify_one();
  }
  std::vector<std::uint64_t> wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return streams_.size() >= count; });
    return streams_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> streams_;
};

TEST(JournalTest, RetriesUntilTheDiskAcceptsAndLosesNothing) {
  DaemonMetrics metrics("0");
  Stored stored;
  auto owned = std::make_unique<FakeStore>(3);
  FakeStore& store = *owned;
  {
    Journal journal(std::move(owned), metrics,
                    {[&](const auto& streams) { stored.add(*streams); }});
    journal.append(7, {.stream = "s-7", .row = row(0)});
    journal.append(8, {.stream = "s-8", .row = row(1)});
    journal.append(7, {.stream = "s-7", .row = row(2)});
    EXPECT_THAT(stored.wait(3), ElementsAre(7, 8, 7));
    EXPECT_FALSE(journal.failing());
    EXPECT_THAT(store.written, ElementsAre(0, 1, 2));
  }
}

TEST(JournalTest, EndsAlthoughTheDiskRejectsEverything) {
  DaemonMetrics metrics("0");
  Journal journal(std::make_unique<FakeStore>(1 << 30), metrics, {[](const auto&) { FAIL(); }});
  journal.append(7, {.stream = "s-7", .row = row(0)});
}

// A clock that the test advances, and work whose rounds the test calls.
class ByHand : public Environment {
 public:
  TimePoint now() const override { return now_; }
  CalendarTime calendar_time() const override { return calendar_; }
  std::string random_bytes(std::size_t count) override { return std::string(count, 'x'); }
  std::unique_ptr<Worker> start(Task work) override {
    work_ = std::move(work);
    return std::make_unique<Unwoken>();
  }

  void let_pass(std::chrono::milliseconds time) {
    now_ += time;
    calendar_ += time;
  }
  void work() { work_.run_once(); }

 private:
  class Unwoken : public Worker {
   public:
    void wake() override {}
  };

  TimePoint now_{std::chrono::hours(1)};
  CalendarTime calendar_ = std::chrono::system_clock::now();
  Task work_;
};

TEST(JournalTest, DropsEntriesWithoutABeginningAndWritesTheRest) {
  DaemonMetrics metrics("0");
  std::vector<std::uint64_t> stored;
  std::vector<std::uint64_t> unknown;
  auto owned = std::make_unique<FakeStore>(0);
  const FakeStore& store = *owned;
  ByHand environment;
  Journal journal(std::move(owned), metrics,
                  {.on_committed = [&](const auto& streams) { stored = *streams; },
                   .on_unknown_stream = [&](std::uint64_t stream) { unknown.push_back(stream); }},
                  environment);
  for (int i = 0; i < 3; ++i) {
    journal.append(7, {.stream = "s-7", .row = row(10 + i)});
    journal.append(9, {.stream = "s-unknown", .row = row(20 + i)});
  }
  journal.append(8, {.stream = "s-unknown", .begins = stream("s-unknown"), .row = row(30)});
  journal.append(8, {.stream = "s-unknown", .row = row(31)});
  environment.work();
  EXPECT_THAT(stored, ElementsAre(7, 7, 7, 8, 8));
  EXPECT_THAT(unknown, ElementsAre(9));
  EXPECT_THAT(store.written, ElementsAre(10, 11, 12, 30, 31));
  EXPECT_FALSE(journal.failing());
}

TEST(JournalTest, WritesWaitingEntriesInTheRoundInWhichARetrySucceeds) {
  DaemonMetrics metrics("0");
  std::vector<std::uint64_t> stored;
  ByHand environment;
  Journal journal(std::make_unique<FakeStore>(1), metrics, {[&](const auto& streams) {
                    stored.insert(stored.end(), streams->begin(), streams->end());
                  }},
                  environment);
  journal.append(7, {.stream = "s-7", .row = row(0)});
  environment.work();
  EXPECT_TRUE(journal.failing());
  journal.append(8, {.stream = "s-8", .row = row(1)});
  environment.let_pass(std::chrono::seconds(1));
  environment.work();
  EXPECT_THAT(stored, ElementsAre(7, 8));
  EXPECT_FALSE(journal.failing());
}

class JournalRetention : public SqliteStoreTest {
 protected:
  // Returns the streams that are left after `time` of an open one, s-1, and one that has just
  // ended, s-2.
  std::vector<std::string> left_after(std::chrono::minutes time, Seconds retention) {
    auto store = open();
    write(*store, {{.stream = "s-1", .begins = stream("s-1"), .row = row(0)},
                   {.stream = "s-2", .begins = stream("s-2"), .row = row(0), .ends = true}});
    DaemonMetrics metrics("0");
    ByHand environment;
    const Journal journal(std::move(store), metrics,
                          {.on_committed = [](const auto&) {}, .retention = retention},
                          environment);
    environment.let_pass(time);
    environment.work();
    std::vector<std::string> names;
    for (const JournalListing& listing : JournalReader(file()).streams()) {
      names.push_back(listing.stream.name);
    }
    return names;
  }
};

TEST_F(JournalRetention, DropsStreamsThatEndedEarlier) {
  EXPECT_THAT(left_after(std::chrono::minutes(61), std::chrono::hours(1)), ElementsAre("s-1"));
}

TEST_F(JournalRetention, KeepsStreamsThatEndedLater) {
  EXPECT_THAT(left_after(std::chrono::minutes(59), std::chrono::hours(1)),
              ElementsAre("s-1", "s-2"));
}

TEST_F(JournalRetention, IsForEverIfItIsZero) {
  EXPECT_THAT(left_after(std::chrono::hours(1000000), Seconds(0)), ElementsAre("s-1", "s-2"));
}

// --- a disk that hangs ---

// A store whose writes last as long as `meanwhile`.
class SlowStore : public FakeStore {
 public:
  explicit SlowStore(const std::function<void()>& meanwhile)
      : FakeStore(0), meanwhile_(meanwhile) {}

  void write(std::span<const JournalEntry> entries) override {
    meanwhile_();
    FakeStore::write(entries);
  }

 private:
  const std::function<void()>& meanwhile_;
};

class HangingDisk : public ::testing::Test {
 protected:
  HangingDisk() {
    server_.use_journal(std::make_unique<Journal>(
        std::make_unique<SlowStore>(meanwhile_), metrics_,
        JournalOptions{[this](const auto& streams) { stored_.add(*streams); }}, environment_));
    watchdog_.emplace(std::chrono::seconds(1), server_.watched(),
                      [this](const Stall& stall) { told_.push_back(stall.message()); });
  }
  ~HangingDisk() override { server_.stop(); }

  // Advances the time, and checks the watchdog as often as its thread does.
  void let_pass(std::chrono::milliseconds time) {
    for (constexpr std::chrono::milliseconds kStep{250}; time > time.zero(); time -= kStep) {
      environment_.let_pass(kStep);
      watchdog_->check(environment_.now());
    }
  }

  std::function<void()> meanwhile_;
  DaemonMetrics metrics_{"0"};
  ByHand environment_;
  Stored stored_;
  ServerContext server_{{}, metrics_, [](const auto&) {}, environment_};
  std::vector<std::string> told_;
  std::optional<Watchdog> watchdog_;
};

TEST_F(HangingDisk, IsNoticedAlthoughNoWriteFails) {
  meanwhile_ = [this] {
    let_pass(Journal::kMaxRound);
    EXPECT_FALSE(server_.journal_failing()) << "slow is not yet failing";
    let_pass(std::chrono::milliseconds(250));
    EXPECT_TRUE(server_.journal_failing());
    EXPECT_EQ(watchdog_->stalled_threads().threads, "journal");
    EXPECT_THAT(told_, ElementsAre("Thread journal stalled for 1.2 s (last step: writing entries "
                                   "(2) for 1.2 s)"));
    EXPECT_FALSE(watchdog_->stalled_threads().vital) << "another process would have the same disk";
  };
  server_.journal()->append(7, {.stream = "s-7", .row = row(0)});
  server_.journal()->append(8, {.stream = "s-8", .row = row(1)});
  environment_.work();
  EXPECT_THAT(stored_.wait(2), ElementsAre(7, 8));
  EXPECT_FALSE(server_.journal_failing());
  let_pass(std::chrono::milliseconds(250));
  EXPECT_THAT(
      told_, ElementsAre(HasSubstr("stalled"), "Thread journal recovered after a stall of 10.2 s"));
  EXPECT_EQ(watchdog_->stalled_threads().threads, "");
}

TEST_F(HangingDisk, IsNotReportedForAnIdleJournal) {
  environment_.work();
  let_pass(std::chrono::minutes(1));
  EXPECT_FALSE(server_.journal_failing());
  EXPECT_THAT(told_, IsEmpty());
}

// --- rows ---

TEST(JournalCodecTest, FailedStreamHasAnEndLikeOthers) {
  const StreamHistory history{
      stream("s-1"),
      {{0, "", "{\"type\":\"stream_log\"}\n"},
       {2'500'000, "{}",
        "{\"type\":\"source\",\"sentence\":0,\"text\":\"Guten Tag.\",\"taken\":1}\n"}},
      false};
  const JournalEntry end = make_failed_entry(history);
  EXPECT_EQ(end.stream, "s-1");
  EXPECT_TRUE(end.ends);
  EXPECT_EQ(end.row, (JournalRow{2'500'000, "",
                                 "{\"type\":\"end\",\"reason\":\"error\",\"time\":2.5,"
                                 "\"words\":2}\n"}));
}

TEST(JournalCodecTest, ReadsBackWhatItWrites) {
  protocol::Start start{"de", "en", "m", "gma:delta=1", "main", {}, 3};
  start.tracks = {{"fr", "fr", "m2", "wait-k:k=2"}};
  const StreamSettings settings{start, 400, 2000};
  EXPECT_EQ(std::get<StreamSettings>(parse_settings(to_json(settings))), settings);
  EXPECT_TRUE(
      std::holds_alternative<Silence>(std::get<StreamInput>(parse_input(silence_input(), 5))));
  std::vector<TranslationEvent> events(2);
  events[0].key = {5, 1, 12};
  events[0].token = 77;
  events[0].read = 9;
  events[1].key = {5, 0, 12};
  events[1].read = 10;
  events[1].end = true;
  const auto read = std::get<StreamInput>(parse_input(to_json(events), 5));
  const auto& back = std::get<std::vector<TranslationEvent>>(read);
  ASSERT_THAT(back, SizeIs(2));
  EXPECT_EQ(back[0].key, events[0].key);
  EXPECT_EQ(back[0].token, 77);
  EXPECT_EQ(back[0].read, 9);
  EXPECT_FALSE(back[0].end);
  EXPECT_TRUE(back[1].end);
}

TEST(JournalCodecTest, ReturnsAnErrorForInvalidRows) {
  for (const char* text :
       {"", "{", "[]", "{\"type\":1}", "{\"type\":\"translated\"}",
        "{\"type\":\"translated\",\"events\":[1]}", "{\"type\":\"translated\",\"events\":[[1,2]]}",
        "{\"type\":\"translated\",\"events\":[[1,2,99999999999,4]]}"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(parse_input(text, 1))) << text;
    EXPECT_TRUE(std::holds_alternative<std::string>(parse_settings(text))) << text;
  }
}

}  // namespace
}  // namespace surtitle
