// The journal's database: one SQLite file in WAL mode.
//
// Entries survive a crash of the process once write() has returned, and with JournalSync::kFull
// also a loss of power. One process at a time writes a file. Others may read it (`surtitle
// journal`).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/journal/local_store.h"

namespace surtitle {

// Returns the file for the setting journal.path. "auto" is journal.sqlite in the state folder of
// the service (STATE_DIRECTORY), otherwise of the user. Throws std::runtime_error if the
// environment has neither folder.
std::filesystem::path journal_file(const std::string& path);

enum class JournalSync {
  kNormal,  // a loss of power may lose the last transactions; the file stays intact
  kFull,    // every transaction waits until the disk has confirmed it
};

// Returns the value of the setting journal.sync. REQUIRES: `setting` is "full" or "normal".
JournalSync journal_sync(const std::string& setting);

// Opens the file. If it does not exist, the file and its folder are created for their owner only.
// Throws std::runtime_error with one line that has the file and the cause.
std::unique_ptr<LocalStore> open_sqlite_store(const std::filesystem::path& file, JournalSync sync);

struct JournalListing {
  JournaledStream stream;
  std::optional<std::int64_t> ended;  // ms since 1970; 0: the stream continued elsewhere
};

// Reads a journal that a daemon may be writing. All functions see one snapshot of the file, which
// the first read takes. A file that is not a journal of this version is not changed. Errors: as
// JournalStore.
//
// Thread-safety: none; one thread at a time.
class JournalReader {
 public:
  using OnRow = std::function<void(std::int64_t number, const JournalRow& row)>;

  explicit JournalReader(const std::filesystem::path& file);
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;
  ~JournalReader();

  // Returns all streams, or those of a channel, the oldest first, without those that purge() has
  // deleted in part.
  std::vector<JournalListing> streams(const std::optional<std::string>& channel = {});
  // Calls `on_row` for each row of the stream, in order. Does nothing if the stream is unknown.
  void each_row(const std::string& stream, const OnRow& on_row);
  // Returns the findings of SQLite's integrity check, one line each.
  std::vector<std::string> faults();
  // Returns one line for each missing stream that still has rows.
  std::vector<std::string> lost_rows();
  // Returns unused space of the file to the disk. Throws if a daemon uses the file.
  void vacuum();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace surtitle
