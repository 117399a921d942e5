// Writes log files on a thread of its own, so that callers never wait for a disk.
//
// The lines that wait are bounded. If a line does not fit or a write fails, that file is aborted,
// which is logged and counted once. Its written lines stay; its later lines are dropped and
// counted. Other files are not affected.
//
// The destructor waits for the disk, but not for long. Afterwards the unwritten lines are lost. The
// thread then outlives the writer, and uses only the folder and its files.
//
// Thread-safety: call open(), write() and close() from one thread. The folder and its files are
// used on the writer's thread only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "daemon/base/clock.h"
#include "daemon/telemetry/daemon_metrics.h"

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
  // Creates a file that only its owner may read. Throws std::system_error, also if the file exists.
  virtual std::unique_ptr<LogFile> make(const std::string& name) = 0;
};

// Opens a folder on disk, and creates it if it is missing. Throws std::runtime_error with its name
// if no file can be created there.
std::unique_ptr<LogFolder> open_log_folder(const std::filesystem::path& folder);

struct LogWriterOptions {
  std::size_t waiting_bytes = 16U << 20U;  // of all files together; beyond, a file is aborted
  Seconds ending{5.0};                     // for the last writes; beyond, they are lost
};

class LogWriter {
 public:
  class File;
  using FilePtr = std::shared_ptr<File>;

  LogWriter(std::unique_ptr<LogFolder> folder, DaemonMetrics& metrics,
            LogWriterOptions options = {});
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  // Writes the lines that wait, for at most `ending`.
  ~LogWriter();

  // Returns a file, which is created when its first line is written. REQUIRES: `name` has no '/'.
  static FilePtr open(std::string name);
  // `line` has no newline.
  void write(const FilePtr& file, std::string line);
  // Closes the file once its lines are written. REQUIRES: no later write().
  void close(const FilePtr& file);

 private:
  class Shared;

  const std::shared_ptr<Shared> shared_;  // shared with the thread
  std::thread thread_;
};

}  // namespace surtitle
