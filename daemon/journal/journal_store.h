// Interface between the journal and its database.
//
// The history of a stream is the sequence of its inputs: messages of its sender, translations and
// silences (event sourcing). A session that receives the same inputs reaches the same state, so a
// stream can continue after a lost connection or a crash. Each row also has the lines that its
// input produced, as in the stream log (daemon/protocol/stream_log_format.h). A restored stream
// sends these lines as they are stored, even if another version of the daemon wrote them.
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
#include "daemon/base/named_type.h"

namespace surtitle {

struct JournaledStream {
  std::string name;
  std::string key;  // secret for Resume
  std::optional<std::string> channel;
  std::int64_t started = 0;  // ms since 1970, UTC: when it was ready
  std::string settings;      // JSON, see daemon/journal/journal_codec.h

  bool operator==(const JournaledStream&) const = default;
};

struct JournalRow {
  std::int64_t at = 0;  // ns since the stream's Ready
  std::string input;    // JSON, see daemon/journal/journal_codec.h
  std::string lines;    // the final messages, one JSON object a line; may be empty

  bool operator==(const JournalRow&) const = default;
};

// The number of an ownership, which increases with every owner of the stream; 0: unknown.
using Fence = NamedType<std::int64_t, struct FenceTag>;

// The ownership of a stream, if replicas share a store (daemon/backplane).
struct Ownership {
  Fence fence{1};
  std::int64_t entries = 0;  // number of the history's entries that Redis has already
};

// One change of a stream's history.
struct JournalEntry {
  std::string stream;
  std::optional<JournaledStream> begins = {};
  Ownership ownership = {};  // with `begins`
  std::optional<JournalRow> row = {};
  bool ends = false;
  // Marks the stream as one that runs elsewhere or never began: it is not recovered from here.
  bool moved = false;
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
  bool past = false;  // it ended before the time given to load_recoverable(), and is only shown
};

// Histories that another process left in the journal. They are read one by one, because all of them
// may not fit into memory.
struct RecoverableStreams {
  // The streams of a channel are in the order of their starts.
  std::vector<StreamSummary> summaries;
  // Reads a history. Throws as JournalStore does. Thread-safety: one thread at a time; it may be
  // another one than the store's.
  std::function<StreamHistory(const StreamSummary&)> read;
};

// Thrown if the store has no beginning of a stream. No later entry of the stream can be written.
class UnknownStream : public std::runtime_error {
 public:
  UnknownStream(const std::string& file, std::string stream)
      : std::runtime_error(file + ": stream " + stream + " has no beginning"),
        stream_(std::move(stream)) {}
  const std::string& stream() const noexcept { return stream_; }

 private:
  std::string stream_;
};

// Errors: all functions throw std::runtime_error with one line that has the file and the cause.
//
// Thread-safety: none; one thread at a time.
class JournalStore {
 public:
  JournalStore() = default;
  JournalStore(const JournalStore&) = delete;
  JournalStore& operator=(const JournalStore&) = delete;
  virtual ~JournalStore() = default;

  // Writes all entries in one transaction. They are as durable as the store promises once this
  // returns. Throws UnknownStream, and writes nothing, if a stream has no beginning.
  virtual void write(std::span<const JournalEntry> entries) = 0;

  // Returns, in this order:
  // - the streams that have not ended, or that ended at `ended` (ms since 1970) or later
  // - the last streams of the `channels` channels that were used last, if they ended earlier
  //
  // Each of the two parts is in the order in which the streams began.
  virtual RecoverableStreams load_recoverable(std::int64_t ended, int channels) = 0;

  // Deletes some rows of the oldest stream that ended before this time (ms since 1970). Returns
  // false if there is no such stream. Call it again until it returns false.
  virtual bool purge(std::int64_t before) = 0;

  // Runs the store's own background work. Called before each write. Returns the delay after which
  // to call it again at the latest, or nullopt if there is no such time.
  virtual std::optional<Clock::duration> run_maintenance() { return std::nullopt; }
};

}  // namespace surtitle
