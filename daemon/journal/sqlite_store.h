// The journal in one SQLite file, in WAL mode.
//
// What write() returned for survives the death of the process, and with JournalSync::kFull the loss
// of power. One process at a time writes a file; others may read it (`surtitle journal`).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/journal/journal_store.h"

namespace surtitle {

// The file that the setting journal.path stands for: "auto" is journal.sqlite where a service keeps
// its state, else in the user's folder for it. Throws std::runtime_error where there is neither.
std::filesystem::path journal_file(const std::string& path);

enum class JournalSync {
  kNormal,  // a loss of power may take the last moments with it, and leaves the file whole
  kFull,    // the disk has confirmed every write
};

// What the setting journal.sync says: "full" or "normal".
JournalSync journal_sync(const std::string& setting);

// A journal of this machine's own, for whoever carries it elsewhere.
class LocalStore : public JournalStore {
 public:
  // Made with the file, and never again the same; and made anew.
  virtual std::string identity() = 0;
  virtual void regenerate_id() = 0;
  // Rows of a stream from the one with this number on, counted from 0; no more than `most`.
  virtual std::vector<JournalRow> read_rows(const std::string& stream, std::int64_t from,
                                            std::size_t most) = 0;
  // REQUIRES: it has begun.
  virtual JournaledStream read_stream(const std::string& stream) = 0;
};

// Opens the file, for the owner alone where it is made, and its folder with it. Throws
// std::runtime_error with one line: the file, and what is wrong with it.
std::unique_ptr<LocalStore> open_sqlite_store(const std::filesystem::path& file, JournalSync sync);

struct JournalListing {
  JournaledStream stream;
  std::optional<std::int64_t> ended;  // ms since 1970; 0: it has gone on elsewhere
};

// The same file for whoever looks at it, as it was when it was first looked at. What is no journal
// of this version is left as it is. Throws as above.
class JournalReader {
 public:
  using TakeRow = std::function<void(std::int64_t number, const JournalRow& row)>;

  explicit JournalReader(const std::filesystem::path& file);
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;
  ~JournalReader();

  // The oldest first, without those that are being forgotten.
  std::vector<JournalListing> streams();
  // In order; none where the stream is unknown.
  void each_row(const std::string& stream, const TakeRow& take);
  // What SQLite finds wrong with the file, a line each; nothing where it is sound.
  std::vector<std::string> faults();
  // Rows that belong to no stream, a line for each that they must have had.
  std::vector<std::string> lost_rows();
  // Gives room back to the disk. Throws where a daemon has the file.
  void vacuum();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace surtitle
