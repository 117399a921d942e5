// Where streams are journaled, so that they can go on after a cut connection or a dead process: the
// seam between the journal and a data base.
//
// A stream's history is the sequence of its inputs: messages of its sender, translations, silences
// (event sourcing). A session that is fed the same inputs comes to the same state. Each row also
// has the lines that its input produced, as in the stream's log
// (daemon/protocol/stream_log_format.h). A restored stream sends these lines as they are stored,
// whatever the version of the daemon.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/clock.h"

namespace surtitle {

struct JournaledStream {
  std::string name;
  std::string key;  // the right to resume it
  std::optional<std::string> channel;
  std::int64_t started = 0;  // ms since 1970, UTC: when it was ready
  std::string settings;      // JSON, see daemon/journal/journal_codec.h

  bool operator==(const JournaledStream&) const = default;
};

struct JournalRow {
  std::int64_t at = 0;  // ns since the stream's ready
  std::string input;    // JSON, see daemon/journal/journal_codec.h
  std::string lines;    // the final messages, one JSON object a line; may be empty

  bool operator==(const JournalRow&) const = default;
};

// The ownership of a stream, if replicas share a store (daemon/backplane).
struct Ownership {
  std::int64_t fence = 1;    // grows with every owner
  std::int64_t entries = 0;  // of its history that Redis has already
};

// One change of a stream's history.
struct JournalEntry {
  std::string stream;
  std::optional<JournaledStream> begins = {};
  Ownership ownership = {};  // with `begins`
  std::optional<JournalRow> row = {};
  bool ends = false;
  bool moved = false;  // the stream runs elsewhere, or never began: its history is not needed here
};

// The event-sourced history of one stream.
struct StreamHistory {
  JournaledStream stream;
  std::vector<JournalRow> rows;
  bool ended = false;
};

// The facts about a history that are known before its rows are read.
struct StreamSummary {
  JournaledStream stream;
  std::int64_t rows = 0;
  bool ended = false;
};

// Histories that another process left, read one by one, as all of them may not fit into memory.
struct RecoverableStreams {
  std::vector<StreamSummary> summaries;  // the oldest first
  // Reads one of them; from one thread at a time, which need not be the store's. Throws as a store
  // does.
  std::function<StreamHistory(const StreamSummary&)> read;
};

// The store has no beginning of a stream, so that it can never take what follows.
class UnknownStream : public std::runtime_error {
 public:
  UnknownStream(const std::string& file, std::string stream)
      : std::runtime_error(file + ": stream " + stream + " has no beginning"),
        stream_(std::move(stream)) {}
  const std::string& stream() const noexcept { return stream_; }

 private:
  std::string stream_;
};

// Thread-safety: none; one thread at a time. All throw std::runtime_error with one line that names
// the file and what is wrong.
class JournalStore {
 public:
  JournalStore() = default;
  JournalStore(const JournalStore&) = delete;
  JournalStore& operator=(const JournalStore&) = delete;
  virtual ~JournalStore() = default;

  // All of them or none. They are safe as the store promises once this returns. Throws
  // UnknownStream, too.
  virtual void write(std::span<const JournalEntry> entries) = 0;

  // Returns the streams that have not ended, and those that ended at this time or later, ms since
  // 1970.
  virtual RecoverableStreams load_recoverable(std::int64_t ended) = 0;

  // Drops some of the streams that ended before, ms since 1970. Returns 0 once none is left.
  virtual int purge(std::int64_t before) = 0;

  // Runs work of the store's own. Called before each write, and after the time that it returns.
  virtual std::optional<Clock::duration> run_maintenance() { return std::nullopt; }
};

}  // namespace surtitle
