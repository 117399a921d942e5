// A journal in memory that survives the daemons that write it. It fails on request, and its
// contents can be read.
//
// Thread-safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/journal/journal_store.h"
#include "daemon/protocol/protocol.h"
#include "tests/simulation/simulation.h"

namespace surtitle {

// The contents of the disk for one stream.
struct StoredStream {
  StreamHistory history;
  std::int64_t ended = 0;  // ms since 1970
  std::int64_t seq = 0;    // the last one of its sender's messages
  // By event, in the form in which it is sent.
  std::map<std::int64_t, std::string> lines;
};

class SimulatedDisk {
 public:
  explicit SimulatedDisk(Simulation& simulation) : simulation_(simulation) {}

  // Opens the store for the next daemon.
  std::unique_ptr<JournalStore> open();

  void fail(bool failing) noexcept { failing_ = failing; }
  // Makes the history of this stream unreadable.
  void spoil(const std::string& name) { spoiled_ = name; }

  // Returns nullptr if there is no such stream.
  const StoredStream* stream(const std::string& name) const;
  const std::vector<std::string>& names() const noexcept { return names_; }  // the oldest first
  int failures() const noexcept { return failures_; }
  // The histories that daemons have read, in order.
  const std::vector<std::string>& read() const noexcept { return read_; }

 private:
  class Store;

  void write(const JournalEntry& entry);

  Simulation& simulation_;
  std::map<std::string, StoredStream> streams_;
  std::vector<std::string> names_;
  bool failing_ = false;
  int failures_ = 0;
  std::string spoiled_;
  std::vector<std::string> read_;
};

}  // namespace surtitle
