#include "daemon/backplane/history_loader.h"

#include <utility>

#include "daemon/backplane/redis_schema.h"
#include "daemon/base/log.h"

namespace surtitle {

using Status = ClaimResult::Status;

void HistoryLoader::read_pages(RedisConnection& redis) {
  for (std::size_t left = readings_.size(); left > 0; --left) {
    try {
      read_page(redis);
    } catch (const RedisRefusal& failure) {
      leave_unread(pop(), failure.what());
    }
  }
}

// Reads a page of the first history. If Redis fails, it stays the first one.
void HistoryLoader::read_page(RedisConnection& redis) {
  if (readings_.front().reader.read(redis)) {
    readings_.push_back(pop());
  } else if (is_lost(redis, readings_.front())) {
    orphans_.unregister_stream(pop().reader.stream());
    orphans_.finish_adoption();
  } else {
    finish(pop());
  }
}

HistoryLoader::Reading HistoryLoader::pop() {
  Reading first = std::move(readings_.front());
  readings_.pop_front();
  return first;
}

// Returns true if another replica has claimed an orphan while its history was read.
bool HistoryLoader::is_lost(RedisConnection& redis, const Reading& reading) const {
  const BackplaneOptions& options = health_.options();
  return !reading.request && redis_schema::claim(redis,
                                                 {reading.reader.stream(), options.replica,
                                                  reading.fence, options.retention,
                                                  /*failover=*/true},
                                                 options.timeout)
                                     .result != redis_schema::ClaimReply::Result::kMine;
}

void HistoryLoader::finish(Reading reading) {
  ClaimResult claim{reading.status, reading.fence, reading.reader.release()};
  if (reading.request) {
    reading.request->answer(std::move(claim));
    return;
  }
  log(LogLevel::kInfo, "Orphan claimed", {{"stream", claim.history->stream.name}});
  orphan_(std::move(claim));
}

void HistoryLoader::leave_unread(const Reading& reading, const std::string& why) {
  const std::string& stream = reading.reader.stream();
  orphans_.reject(stream, why);
  if (reading.status == Status::kOwned) {
    orphans_.unclaim(stream, reading.fence, OrphanScanner::Reclaim::kNever);
    orphans_.unregister_stream(stream);
  }
  if (reading.request) {
    reading.request->answer({Status::kRetryLater});
  } else {
    orphans_.finish_adoption();
  }
}

void HistoryLoader::abort() {
  for (const Reading& reading : std::exchange(readings_, {})) {
    if (reading.status == Status::kOwned) {
      orphans_.requeue({reading.reader.stream(), reading.fence});
    }
    if (reading.request) {
      reading.request->answer({Status::kUnavailable});
    } else {
      orphans_.finish_adoption();
    }
  }
}

}  // namespace surtitle
