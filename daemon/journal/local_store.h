// Interface of a journal on this machine, with the functions that replication needs.
//
// Errors and threads: as JournalStore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/journal/journal_store.h"

namespace surtitle {

class LocalStore : public JournalStore {
 public:
  // Returns the unique identity of the file, which is generated on the first call.
  virtual std::string identity() = 0;
  // Replaces the identity with a new one.
  virtual void regenerate_id() = 0;
  // Returns at most `max_rows` rows of a stream, beginning with row `from` (counted from 0).
  virtual std::vector<JournalRow> read_rows(const std::string& stream, std::int64_t from,
                                            std::size_t max_rows) = 0;
  // REQUIRES: the store has the beginning of the stream.
  virtual JournaledStream read_stream(const std::string& stream) = 0;
};

}  // namespace surtitle
