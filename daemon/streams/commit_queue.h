// The output of a stream that waits for the journal: commit before visible.
//
// Each element is the output of one row, and is published once the journal has committed the row.
// The journal commits the rows of a stream in order.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "daemon/journal/journal_store.h"
#include "daemon/streams/stream_end.h"
#include "daemon/translation/translation_track.h"

namespace surtitle {

class Journal;

// Messages that are published together, and the end of the stream if they are the last ones.
struct PendingOutput {
  std::vector<Outgoing> messages;
  std::optional<StreamEnd> stream_end = {};
};

class CommitQueue {
 public:
  // `journal`: nullptr for a stream that is not journaled. `number`: of the stream. `begun`: the
  // journal has the stream's first entry, as for a restored stream.
  CommitQueue(Journal* journal, std::uint64_t number, bool begun)
      : journal_(journal), number_(number), begun_(begun) {}
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;
  ~CommitQueue() = default;

  bool durable() const noexcept { return journal_ != nullptr; }
  // Returns true if the first entry was appended. Until then, and always without a journal, output
  // is published at once.
  bool begun() const noexcept { return begun_; }

  // Appends the entry to the journal, and queues the output of its row. If this throws, nothing has
  // changed. REQUIRES: durable(). The first entry of a stream begins it.
  void push(JournalEntry entry, PendingOutput output);
  // Adds messages that have no row to the newest output. Returns false if there is none.
  bool join(std::vector<Outgoing>& messages);
  // Returns the oldest output, whose row is committed now, or nullopt if there is none.
  std::optional<PendingOutput> pop() noexcept;
  void clear() noexcept;

  // Returns true if so much output waits that the sender should not be read.
  bool full() const noexcept;

 private:
  struct Waiting {
    PendingOutput output;
    std::size_t bytes = 0;  // of its row in the journal
  };

  Journal* const journal_;
  const std::uint64_t number_;
  bool begun_;
  std::deque<Waiting> waiting_;  // one for each row that is not committed
  std::size_t bytes_ = 0;        // of these rows
};

}  // namespace surtitle
