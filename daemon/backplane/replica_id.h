// The identity of a replica, which is stored in its journal.
//
// After a restart, a replica has the same identity and still owns its streams.
//
// Thread-safety: one thread at a time.
#pragma once

#include <filesystem>
#include <string>

#include "daemon/backplane/redis_health.h"
#include "daemon/journal/sqlite_store.h"

namespace surtitle {

// Returns the location of a journal as one word. A copy of the file has another location. So does
// the file itself after a reboot of the machine.
std::string journal_location(const std::filesystem::path& journal);

// Returns the identity of `journal`. If a live replica with another journal location has the same
// identity, this journal is a copy: it receives a new identity, which is logged.
//
// Uses the URL of Redis, the timeouts and the location in `options`. Waits for somewhat more
// than two heartbeats if a heartbeat from another location exists. If Redis is unavailable, returns
// the stored identity.
std::string resolve_replica_id(LocalStore& journal, const BackplaneOptions& options);

}  // namespace surtitle
