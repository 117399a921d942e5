// Memory that runs out, for the thread of a test: an operator new in the place of the program's.
// What other threads allocate never fails.
//
// Thread-safety: none but that.
#pragma once

#include <functional>

namespace surtitle {

// For as long as it lives there is enough: what happens is the test's own, or another thread's.
class EnoughMemory {
 public:
  EnoughMemory();
  EnoughMemory(const EnoughMemory&) = delete;
  EnoughMemory& operator=(const EnoughMemory&) = delete;
  ~EnoughMemory();

 private:
  const long left_;
};

// Runs `scenario` once for each of its allocations, which fails, and up to `in_a_row` behind it.
// std::bad_alloc may come out of it. Returns how many there were, or
// the one at which the test failed.
int fail_each_allocation(const std::function<void()>& scenario, int in_a_row = 1);

}  // namespace surtitle
