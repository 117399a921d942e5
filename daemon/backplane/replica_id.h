// Who a replica is among the others: its identity goes with its journal, so that it has its streams
// again after a restart.
#pragma once

#include <filesystem>
#include <string>

#include "daemon/backplane/redis_health.h"
#include "daemon/journal/sqlite_store.h"

namespace surtitle {

// Where a journal is, in one word: another one for a copy of it, and after the machine was booted.
std::string journal_location(const std::filesystem::path& journal);

// The identity of `journal`; another one from now on, which is logged, where a replica with another
// journal lives under it: this one is a copy. Waits a little more than two heartbeats where only
// that can tell. `options` name Redis and the place; where Redis is away, it is believed.
std::string resolve_replica_id(LocalStore& journal, const BackplaneOptions& options);

}  // namespace surtitle
