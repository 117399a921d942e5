#include "daemon/backplane/replica_id.h"

#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "daemon/backplane/redis.h"
#include "daemon/backplane/redis_schema.h"
#include "daemon/base/log.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kLockInterval{50};

// Returns true if a live replica with another journal has this identity. A single heartbeat may be
// the last one of a dead replica, so this waits for another.
bool id_is_in_use(const std::string& replica, const BackplaneOptions& options) {
  RedisConnection redis(options.url, options.timeout);
  const auto heartbeat = [&] { return redis.ask({"GET", redis_schema::key("replica", replica)}); };
  const RedisReply first = heartbeat();
  if (first.nil ||
      redis_schema::parse_heartbeat(first.text).journal_location == options.journal_location) {
    return false;
  }
  for (const TimePoint until = Clock::now() + 2 * options.heartbeat + options.timeout;
       Clock::now() < until;) {
    std::this_thread::sleep_for(kLockInterval);
    const RedisReply now = heartbeat();
    if (now.nil || now.text != first.text) {
      return !now.nil;
    }
  }
  return false;
}

}  // namespace

std::string journal_location(const std::filesystem::path& journal) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat file {};
  stat(journal.c_str(), &file);
  return boot + "/" + std::to_string(file.st_dev) + "/" + std::to_string(file.st_ino);
}

std::string resolve_replica_id(LocalStore& journal, const BackplaneOptions& options) {
  std::string known = journal.identity();
  try {
    if (!id_is_in_use(known, options)) {
      return known;
    }
  } catch (const RedisError&) {  // logged when Redis is used for the first time
    return known;
  }
  journal.regenerate_id();
  log(LogLevel::kWarning,
      "Journal is a copy of a live replica's journal; this replica has a new identity, and leaves "
      "the open streams in it to the other one",
      {{"previous", known}, {"replica", journal.identity()}});
  return journal.identity();
}

}  // namespace surtitle
