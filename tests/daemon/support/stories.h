// All that a journal has of some streams, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "daemon/journal/journal_store.h"

namespace surtitle {

// Of those that have not ended, or not before, ms since 1970; the oldest first.
inline std::vector<JournaledStory> stories_since(JournalStore& store, std::int64_t ended) {
  const LeftStories left = store.left_since(ended);
  std::vector<JournaledStory> stories;
  for (const StoryHead& head : left.heads) {
    stories.push_back(left.read(head));
    EXPECT_EQ(std::ssize(stories.back().rows), head.rows);
  }
  return stories;
}

}  // namespace surtitle
