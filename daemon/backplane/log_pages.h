// The story of one stream as it is read from Redis, a page at a time, each entry once.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/backplane/redis.h"
#include "daemon/journal/journal_codec.h"
#include "daemon/journal/journal_store.h"

namespace surtitle {

class StoryPages {
 public:
  explicit StoryPages(std::string stream) { story_.stream.name = std::move(stream); }

  const std::string& stream() const noexcept { return story_.stream.name; }
  // One more; false: that was the last one. Throws RedisError; RedisRefusal where the story is
  // none.
  bool read(RedisConnection& redis);
  // REQUIRES: all is read.
  JournaledStory take() { return std::move(story_); }

 private:
  JournaledStory story_;
  std::int64_t next_ = 1;  // entry
};

// How far a story in Redis goes, by its last entries alone. Throws as above.
Reach read_reach(RedisConnection& redis, const std::string& stream);

}  // namespace surtitle
