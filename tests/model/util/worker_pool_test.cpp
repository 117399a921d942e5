#include "model/util/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

namespace surtitle {
namespace {

TEST(WorkerPool, RunsEveryShareOnceOnAThreadOfItsOwn) {
  WorkerPool pool(4);
  for (const int shares : {0, 1, 2, 4, 3}) {
    std::mutex mutex;
    std::multiset<int> seen;
    std::set<std::thread::id> threads;
    pool.run(shares, [&](int share) {
      const std::scoped_lock lock(mutex);
      seen.insert(share);
      threads.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(shares));
    for (int share = 0; share < shares; ++share) EXPECT_EQ(seen.count(share), 1U);
    EXPECT_EQ(threads.size(), static_cast<std::size_t>(shares));
  }
}

TEST(WorkerPool, HandsAnExceptionToItsCallerOnceAllAreDone) {
  WorkerPool pool(3);
  for (const int bad : {0, 1, 2}) {
    std::atomic<int> done = 0;
    EXPECT_THROW(pool.run(3,
                          [&](int share) {
                            if (share == bad) throw std::runtime_error("no");
                            ++done;
                          }),
                 std::runtime_error);
    EXPECT_EQ(done, 2);
  }
  std::atomic<int> done = 0;
  pool.run(3, [&](int) { ++done; });
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace surtitle
