// Reads histories of streams from a journal, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "daemon/journal/journal_store.h"

namespace surtitle {

// Returns the histories of streams that are open or ended at `ended` (ms since 1970) or later, the
// oldest first.
inline std::vector<StreamHistory> histories_since(JournalStore& store, std::int64_t ended) {
  const RecoverableStreams left = store.load_recoverable(ended, /*channels=*/0);
  std::vector<StreamHistory> histories;
  for (const StreamSummary& summary : left.summaries) {
    histories.push_back(left.read(summary));
    EXPECT_EQ(std::ssize(histories.back().rows), summary.rows);
  }
  return histories;
}

}  // namespace surtitle
