// Log files written by a thread of their own, so that whoever has something to log never waits for
// a disk.
//
// What waits to be written is bounded. A file whose line does not fit, or that the disk refuses, is
// given up: said once in the daemon's log and counted; what is written of it stays, its further
// lines are dropped and counted, and nobody else notices.
//
// Thread-safety: open(), write() and close() from any one thread. The folder and its files are used
// on the writer's thread only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon/daemon_metrics.h"

namespace surtitle {

// One open file. Throws std::system_error.
class LogFile {
 public:
  LogFile() = default;
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  virtual ~LogFile() = default;
  virtual void append(std::string_view text) = 0;
};

class LogFolder {
 public:
  LogFolder() = default;
  LogFolder(const LogFolder&) = delete;
  LogFolder& operator=(const LogFolder&) = delete;
  virtual ~LogFolder() = default;
  // A new file, which nobody but the owner may read. Throws std::system_error, also where there is
  // one of that name.
  virtual std::unique_ptr<LogFile> make(const std::string& name) = 0;
};

// A folder on disk, made where it is missing. Throws std::runtime_error that names it where no file
// can be made there.
std::unique_ptr<LogFolder> open_log_folder(const std::filesystem::path& folder);

struct LogWriterOptions {
  std::size_t waiting_bytes = 16U << 20U;  // of all files together; beyond, a file is given up
};

class LogWriter {
 public:
  class File;
  using FilePtr = std::shared_ptr<File>;

  LogWriter(std::unique_ptr<LogFolder> folder, DaemonMetrics& metrics,
            LogWriterOptions options = {});
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  // Writes all that waits.
  ~LogWriter();

  // A file of this name, which has no folder in it; made when its first line is written.
  static FilePtr open(std::string name);
  // `line` without its newline.
  void write(const FilePtr& file, std::string line);
  // Nothing more is written to it.
  void close(const FilePtr& file);

 private:
  struct Entry {
    FilePtr file;
    std::string text;  // empty: close it
  };

  void run();
  void write_all(std::vector<Entry>& entries);
  void append(File& file);
  void give_up(File& file, const std::string& why);

  const std::unique_ptr<LogFolder> folder_;
  DaemonMetrics& metrics_;
  const LogWriterOptions options_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Entry> waiting_;
  std::size_t bytes_ = 0;  // waiting or being written
  bool stopping_ = false;

  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace surtitle
