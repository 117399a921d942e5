// Checks that the journal has a complete and readable history of a stream.
#pragma once

#include <string>
#include <vector>

#include "daemon/journal/sqlite_store.h"

namespace surtitle {

// Returns the faults of a stream, one line each that names the row, or an empty list if the stream
// is sound. Missing rows at the end are detected only if the stream has ended. Adds the number of
// rows read to `rows`.
std::vector<std::string> faults_of(JournalReader& journal, const JournalListing& listing,
                                   std::int64_t& rows);

}  // namespace surtitle
