#include "daemon/streams/log_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace surtitle {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A disk in memory that can be made to wait and to fail.
class FakeDisk {
 public:
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void let_go() {
    {
      const std::lock_guard lock(mutex_);
      held_ = false;
    }
    changed_.notify_all();
  }
  void wait_until_held() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_; });
  }
  // Called when the last user of the folder destroys it.
  void folder_gone() {
    {
      const std::lock_guard lock(mutex_);
      gone_ = true;
    }
    changed_.notify_all();
  }
  void wait_until_gone() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return gone_; });
  }
  // Makes the write or creation with this number, from 0, fail.
  void fail_at(int call) { failing_ = call; }

  void call() {
    std::unique_lock lock(mutex_);
    waiting_ = held_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_; });
    waiting_ = false;
    if (calls_++ == failing_) {
      throw std::system_error(ENOSPC, std::generic_category(), "cannot write the file");
    }
  }
  void append(const std::string& name, std::string_view text) {
    call();
    const std::lock_guard lock(mutex_);
    files_[name] += text;
  }
  std::string text_of(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return files_[name];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  bool waiting_ = false;
  bool gone_ = false;
  int failing_ = -1;
  int calls_ = 0;
  std::map<std::string, std::string> files_;
};

using DiskPtr = std::shared_ptr<FakeDisk>;

class FakeFile : public LogFile {
 public:
  FakeFile(DiskPtr disk, std::string name) : disk_(std::move(disk)), name_(std::move(name)) {}
  void append(std::string_view text) override { disk_->append(name_, text); }

 private:
  const DiskPtr disk_;
  const std::string name_;
};

class FakeFolder : public LogFolder {
 public:
  explicit FakeFolder(DiskPtr disk) : disk_(std::move(disk)) {}
  ~FakeFolder() override { disk_->folder_gone(); }
  std::unique_ptr<LogFile> make(const std::string& name) override {
    disk_->call();
    return std::make_unique<FakeFile>(disk_, name);
  }

 private:
  const DiskPtr disk_;
};

class LogWriterTest : public ::testing::Test {
 protected:
  LogWriter& writer(LogWriterOptions options = {}) {
    return writer_.emplace(std::make_unique<FakeFolder>(disk_), metrics_, options);
  }
  void write_all() { writer_.reset(); }

  // Expects a line of /metrics, "surtitle_stream_log_lines_total 3".
  void expect_counted(const std::string& line) {
    EXPECT_THAT(metrics_.exposition(), HasSubstr("\n" + line + "\n"));
  }

  const DiskPtr disk_ = std::make_shared<FakeDisk>();
  DaemonMetrics metrics_{"1"};
  std::optional<LogWriter> writer_;
};

TEST_F(LogWriterTest, WritesLinesToTheirFilesInOrder) {
  LogWriter& logs = writer();
  const auto one = LogWriter::open("one");
  const auto two = LogWriter::open("two");
  for (int i = 0; i < 3; ++i) {
    logs.write(one, "a" + std::to_string(i));
    logs.write(two, "b" + std::to_string(i));
  }
  logs.close(one);
  logs.write(two, "end");
  logs.close(two);
  write_all();
  EXPECT_EQ(disk_->text_of("one"), "a0\na1\na2\n");
  EXPECT_EQ(disk_->text_of("two"), "b0\nb1\nb2\nend\n");
  expect_counted("surtitle_stream_log_lines_total 7");
  expect_counted("surtitle_stream_log_dropped_lines_total 0");
}

TEST_F(LogWriterTest, NeverWaitsForTheDiskAndAbortsALogWithoutRoom) {
  LogWriter& logs = writer({.waiting_bytes = 1000});
  const auto one = LogWriter::open("one");
  disk_->hold();
  logs.write(one, "first");
  disk_->wait_until_held();
  // The disk takes no lines now. The loop would not end if a write waited for the disk.
  for (int i = 0; i < 1000; ++i) {
    logs.write(one, std::string(100, 'x'));
  }
  disk_->let_go();
  const auto two = LogWriter::open("two");
  logs.close(one);
  write_all();
  EXPECT_THAT(disk_->text_of("one"), StartsWith("first\nxxx"));
  EXPECT_EQ(disk_->text_of("one").back(), '\n') << "ends with a whole line";
  expect_counted("surtitle_stream_logs_aborted_total 1");
  expect_counted("surtitle_stream_log_lines_total 5");
  expect_counted("surtitle_stream_log_dropped_lines_total 996");
}

TEST_F(LogWriterTest, AbortsOnlyTheLogWithoutRoom) {
  LogWriter& logs = writer({.waiting_bytes = 1000});
  const auto one = LogWriter::open("one");
  const auto two = LogWriter::open("two");
  logs.write(one, std::string(2000, 'x'));
  logs.write(one, "after");
  logs.write(two, "whole");
  write_all();
  EXPECT_EQ(disk_->text_of("one"), "");
  EXPECT_EQ(disk_->text_of("two"), "whole\n");
}

TEST_F(LogWriterTest, AbortsOneLogAtAnyCallThatFails) {
  for (int failing = 0; failing < 6; ++failing) {
    const auto disk = std::make_shared<FakeDisk>();
    disk->fail_at(failing);
    DaemonMetrics metrics("1");
    {
      LogWriter logs(std::make_unique<FakeFolder>(disk), metrics);
      for (const char* name : {"one", "two", "three"}) {
        const auto file = LogWriter::open(name);
        logs.write(file, name);
        logs.close(file);
      }
    }
    int whole = 0;
    for (const char* name : {"one", "two", "three"}) {
      whole += disk->text_of(name) == std::string(name) + "\n" ? 1 : 0;
    }
    EXPECT_EQ(whole, 2) << failing;
    EXPECT_THAT(metrics.exposition(), HasSubstr("\nsurtitle_stream_logs_aborted_total 1\n"));
    EXPECT_THAT(metrics.exposition(), HasSubstr("\nsurtitle_stream_log_lines_total 2\n"));
    EXPECT_THAT(metrics.exposition(), HasSubstr("\nsurtitle_stream_log_dropped_lines_total 1\n"));
  }
}

TEST_F(LogWriterTest, EndsAlthoughTheDiskHangs) {
  auto metrics = std::make_optional<DaemonMetrics>("1");
  {
    LogWriter logs(std::make_unique<FakeFolder>(disk_), *metrics, {.ending = Seconds(0.01)});
    const auto one = LogWriter::open("one");
    disk_->hold();
    logs.write(one, "first");
    disk_->wait_until_held();
    logs.write(one, "second");
    logs.close(one);
  }
  EXPECT_THAT(metrics->exposition(), HasSubstr("\nsurtitle_stream_log_dropped_lines_total 2\n"));
  metrics.reset();
  // If it answers after all, the thread writes what it has, and reports nothing.
  disk_->let_go();
  disk_->wait_until_gone();
  EXPECT_EQ(disk_->text_of("one"), "first\nsecond\n");
}

TEST_F(LogWriterTest, ReportsNoFailureAfterItsEnd) {
  auto metrics = std::make_optional<DaemonMetrics>("1");
  disk_->fail_at(0);
  {
    LogWriter logs(std::make_unique<FakeFolder>(disk_), *metrics, {.ending = Seconds(0.01)});
    disk_->hold();
    logs.write(LogWriter::open("one"), "first");
    disk_->wait_until_held();
  }
  EXPECT_THAT(metrics->exposition(), HasSubstr("\nsurtitle_stream_logs_aborted_total 0\n"));
  metrics.reset();
  disk_->let_go();
  disk_->wait_until_gone();
}

// --- on disk ---

class LogFolderTest : public ::testing::Test {
 protected:
  ~LogFolderTest() override { fs::remove_all(folder_); }

  static std::string failure(const fs::path& folder) {
    try {
      open_log_folder(folder);
      return "nothing was thrown";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("surtitle_logs_" + std::to_string(getpid()));
};

TEST_F(LogFolderTest, IsCreatedForItsOwnerOnly) {
  const mode_t before = umask(0);
  const auto folder = open_log_folder(folder_ / "deep");
  folder->make("one.jsonl")->append("text\n");
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "deep" / "one.jsonl").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(stat((folder_ / "deep").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "deep"), fs::directory_iterator()), 1)
      << "the trial file is removed";
}

TEST_F(LogFolderTest, NeverWritesToAnExistingFile) {
  const auto folder = open_log_folder(folder_);
  std::ofstream(folder_ / "there") << "mine";
  fs::create_symlink(folder_ / "there", folder_ / "link");
  EXPECT_THROW(folder->make("there"), std::system_error);
  EXPECT_THROW(folder->make("link"), std::system_error);
}

TEST_F(LogFolderTest, ErrorsNameTheFolder) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "text";
  EXPECT_THAT(failure(folder_ / "file"), HasSubstr("file': "));
  EXPECT_THAT(failure(folder_ / "file" / "below"), HasSubstr("Not a directory"));
  EXPECT_THAT(failure("/proc/surtitle"), HasSubstr("cannot write stream logs in '/proc/surtitle'"));
}

}  // namespace
}  // namespace surtitle
