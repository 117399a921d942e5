// Log files written by a thread of their own, so that whoever has something to log never waits for
// a disk.
//
// What waits to be written is bounded. A file whose line does not fit, or that the disk refuses, is
// given up: said once in the daemon's log and counted; what is written of it stays, its further
// lines are dropped and counted, and nobody else notices. A disk that does not answer when the
// writer ends is left alone after a while, with what it was given; the thread that waits for it
// outlives the writer then, and touches nothing but the folder and its files.
//
// Thread-safety: open(), write() and close() from any one thread. The folder and its files are used
// on the writer's thread only.
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
  // A new file, which nobody but the owner may read. Throws std::system_error, also where there is
  // one of that name.
  virtual std::unique_ptr<LogFile> make(const std::string& name) = 0;
};

// A folder on disk, made where it is missing. Throws std::runtime_error that names it where no file
// can be made there.
std::unique_ptr<LogFolder> open_log_folder(const std::filesystem::path& folder);

struct LogWriterOptions {
  std::size_t waiting_bytes = 16U << 20U;  // of all files together; beyond, a file is given up
  Seconds ending{5.0};                     // for what waits at the end; beyond, it is lost
};

class LogWriter {
 public:
  class File;
  using FilePtr = std::shared_ptr<File>;

  LogWriter(std::unique_ptr<LogFolder> folder, DaemonMetrics& metrics,
            LogWriterOptions options = {});
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  // Writes all that waits, as far as the disk takes it in time.
  ~LogWriter();

  // A file of this name, which has no folder in it; made when its first line is written.
  static FilePtr open(std::string name);
  // `line` without its newline.
  void write(const FilePtr& file, std::string line);
  // Nothing more is written to it.
  void close(const FilePtr& file);

 private:
  class Shared;

  const std::shared_ptr<Shared> shared_;  // shared with the thread
  std::thread thread_;
};

}  // namespace surtitle
