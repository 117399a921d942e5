// Whether all of a stream is in the journal, and can be read.
#pragma once

#include <string>
#include <vector>

#include "daemon/journal/sqlite_store.h"

namespace surtitle {

// What is wrong with it, a line each, with the row that it is about; nothing where all is well. The
// end of a stream that goes on is not known, so that of its last rows nobody can tell. Adds how
// many rows there are to `rows`.
std::vector<std::string> faults_of(JournalReader& journal, const JournalListing& listing,
                                   std::int64_t& rows);

}  // namespace surtitle
