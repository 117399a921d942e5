// Reads the history of one stream from Redis, a page at a time.
//
// Each entry is read once.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/backplane/redis.h"
#include "daemon/journal/journal_codec.h"
#include "daemon/journal/journal_store.h"

namespace surtitle {

class PagedHistoryReader {
 public:
  explicit PagedHistoryReader(std::string stream) { history_.stream.name = std::move(stream); }

  const std::string& stream() const noexcept { return history_.stream.name; }
  // Reads one more page. Returns false if it was the last one. Throws RedisError, or RedisRefusal
  // if the entries are not a complete history.
  bool read(RedisConnection& redis);
  // Releases the history. REQUIRES: read() has returned false.
  StreamHistory release() { return std::move(history_); }

 private:
  StreamHistory history_;
  std::int64_t next_ = 1;  // entry
};

// Returns the offsets of a history in Redis. Reads its last entries only, as far as needed. Throws
// as PagedHistoryReader::read().
StreamOffsets read_offsets(RedisConnection& redis, const std::string& stream);

}  // namespace surtitle
