#include "daemon/streams/log_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/base/log.h"
#include "model/util/mutex.h"

namespace surtitle {
namespace {

constexpr std::size_t kEntryBytes = 96;  // memory of a line besides its text

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class DiskFile : public LogFile {
 public:
  explicit DiskFile(int descriptor) : descriptor_(descriptor) {}
  ~DiskFile() override { ::close(descriptor_); }

  void append(std::string_view text) override {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written >= 0) {
        text.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        fail("cannot write the file");
      }
    }
  }

 private:
  const int descriptor_;
};

// Files are created in the folder that was opened, even if it is renamed or replaced later.
class DiskFolder : public LogFolder {
 public:
  explicit DiskFolder(const std::filesystem::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      fail("cannot open the folder");
    }
  }
  ~DiskFolder() override { ::close(descriptor_); }

  std::unique_ptr<LogFile> make(const std::string& name) override {
    constexpr mode_t kOwnerAlone = 0600;
    const int file =
        ::openat(descriptor_, name.c_str(),
                 O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, kOwnerAlone);
    if (file < 0) {
      fail("cannot create the file");
    }
    return std::make_unique<DiskFile>(file);
  }

  // Creates a file and removes it again.
  void try_it() {
    const std::string name = ".surtitled-" + std::to_string(::getpid());
    make(name);
    ::unlinkat(descriptor_, name.c_str(), 0);
  }

 private:
  const int descriptor_;
};

}  // namespace

std::unique_ptr<LogFolder> open_log_folder(const std::filesystem::path& folder) {
  try {
    if (std::filesystem::create_directories(folder)) {
      std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    }
    auto opened = std::make_unique<DiskFolder>(folder);
    opened->try_it();
    return opened;
  } catch (const std::system_error& error) {
    throw std::runtime_error("cannot write stream logs in '" + folder.string() +
                             "': " + error.code().message());
  }
}

class LogWriter::File {
 public:
  explicit File(std::string its_name) : name(std::move(its_name)) {}

  const std::string name;
  bool full = false;    // caller's thread only: a line had no room
  bool queued = false;  // caller's thread only: a line was queued
  std::atomic<bool> aborted{false};
  std::atomic<bool> failed{false};  // a write failed

  // Writer's thread only.
  std::unique_ptr<LogFile> on_disk;
  std::string pending;
  int pending_lines = 0;
  bool closing = false;
};

// The state that the writer shares with its thread.
class LogWriter::Shared {
 public:
  Shared(std::unique_ptr<LogFolder> folder, DaemonMetrics& metrics, LogWriterOptions options)
      : folder_(std::move(folder)), options_(options), metrics_(&metrics) {}

  // --- caller's thread ---
  // Queues a line, or the end of the file if `text` is empty. Returns false if there is no room.
  bool add(const FilePtr& file, std::string text);
  void dropped(int lines) {
    with_metrics([&](DaemonMetrics& metrics) { metrics.stream_log_dropped(lines); });
  }
  void abort_log(File& file, const std::string& why);
  // Returns true if all lines were written in time. Otherwise the thread no longer uses the metrics
  // or the daemon's log.
  bool end();

  // --- writer's thread ---
  void run();

 private:
  struct Entry {
    FilePtr file;
    std::string text;  // empty: close it
  };

  void write_all(std::vector<Entry>& entries);
  void append(File& file);
  template <class Use>
  void with_metrics(const Use& use);

  const std::unique_ptr<LogFolder> folder_;
  const LogWriterOptions options_;

  Mutex mutex_;
  CondVar changed_;
  std::vector<Entry> waiting_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;  // waiting or being written
  int lines_ GUARDED_BY(mutex_) = 0;          // waiting or being written
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;

  Mutex metrics_mutex_;  // not held during a disk access
  // nullptr: these and the daemon's log may be destroyed
  DaemonMetrics* metrics_ GUARDED_BY(metrics_mutex_);
};

template <class Use>
void LogWriter::Shared::with_metrics(const Use& use) {
  const MutexLock lock(metrics_mutex_);
  if (metrics_ != nullptr) {
    use(*metrics_);
  }
}

bool LogWriter::Shared::add(const FilePtr& file, std::string text) {
  const std::size_t bytes = text.empty() ? 0 : text.size() + kEntryBytes;
  {
    const MutexLock lock(mutex_);
    if (bytes_ + bytes > options_.waiting_bytes && bytes > 0) {
      return false;
    }
    bytes_ += bytes;
    lines_ += text.empty() ? 0 : 1;
    waiting_.push_back({file, std::move(text)});
  }
  changed_.notify_all();
  return true;
}

bool LogWriter::Shared::end() {
  const TimePoint end = Clock::now() + to_duration(options_.ending);
  int lost = 0;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    while (!ended_ && changed_.wait_until(mutex_, end)) {
    }
    if (ended_) {
      return true;
    }
    lost = lines_;
  }
  dropped(lost);
  log(LogLevel::kWarning, "Stream logs not written in time; the remaining lines are lost",
      {{"lines", lost}});
  const MutexLock lock(metrics_mutex_);
  metrics_ = nullptr;
  return false;
}

void LogWriter::Shared::run() {
  std::vector<Entry> entries;
  for (bool going = true; going;) {
    {
      const MutexLock lock(mutex_);
      while (!stopping_ && waiting_.empty()) {
        changed_.wait(mutex_);
      }
      entries.swap(waiting_);
      going = !stopping_ || !entries.empty();
    }
    write_all(entries);
    entries.clear();
  }
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

// Writes once for each file that has lines.
void LogWriter::Shared::write_all(std::vector<Entry>& entries) {
  std::vector<FilePtr> files;
  std::size_t bytes = 0;
  int lines = 0;
  for (Entry& entry : entries) {
    File& file = *entry.file;
    if (file.pending.empty() && !file.closing) {
      files.push_back(entry.file);
    }
    file.closing = file.closing || entry.text.empty();
    if (!entry.text.empty()) {
      file.pending += entry.text;
      ++file.pending_lines;
      ++lines;
      bytes += entry.text.size() + kEntryBytes;
    }
  }
  for (const FilePtr& file : files) {
    append(*file);
    if (std::exchange(file->closing, false)) {
      file->on_disk.reset();
    }
  }
  const MutexLock lock(mutex_);
  bytes_ -= bytes;
  lines_ -= lines;
}

void LogWriter::Shared::append(File& file) {
  const std::string text = std::exchange(file.pending, {});
  const int lines = std::exchange(file.pending_lines, 0);
  if (lines == 0) {
    return;
  }
  if (file.failed) {
    dropped(lines);
    return;
  }
  try {
    if (!file.on_disk) {
      file.on_disk = folder_->make(file.name);
    }
    file.on_disk->append(text);
    with_metrics([&](DaemonMetrics& metrics) { metrics.stream_log_written(lines); });
  } catch (const std::exception& error) {
    file.failed = true;
    file.on_disk.reset();
    dropped(lines);
    abort_log(file, error.what());
  }
}

void LogWriter::Shared::abort_log(File& file, const std::string& why) {
  if (file.aborted.exchange(true)) {
    return;
  }
  with_metrics([&](DaemonMetrics& metrics) {
    metrics.stream_log_aborted();
    log(LogLevel::kWarning, "Stream log aborted; the stream continues",
        {{"file", file.name}, {"error", why}});
  });
}

LogWriter::LogWriter(std::unique_ptr<LogFolder> folder, DaemonMetrics& metrics,
                     LogWriterOptions options)
    : shared_(std::make_shared<Shared>(std::move(folder), metrics, options)),
      thread_([shared = shared_] { shared->run(); }) {}

LogWriter::~LogWriter() {
  if (shared_->end()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

LogWriter::FilePtr LogWriter::open(std::string name) {
  return std::make_shared<File>(std::move(name));
}

void LogWriter::write(const FilePtr& file, std::string line) {
  if (file->full || file->failed) {
    shared_->dropped(1);
    return;
  }
  line += '\n';
  if (shared_->add(file, std::move(line))) {
    file->queued = true;
    return;
  }
  file->full = true;
  shared_->dropped(1);
  shared_->abort_log(*file, "the disk is too slow: too many lines are waiting");
}

void LogWriter::close(const FilePtr& file) {
  if (file->queued) {
    shared_->add(file, {});
  }
}

}  // namespace surtitle
