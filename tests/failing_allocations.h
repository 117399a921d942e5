// Lets chosen allocations of a test's thread fail, by an operator new of its own.
//
// Allocations of other threads never fail.
//
// Thread-safety: the state belongs to the thread that calls fail_each_allocation().
#pragma once

#include <cstddef>
#include <functional>

namespace surtitle {

// The parts of the daemon that a test's thread runs, for tests that run several of them.
enum class Part {
  kNetwork,
  kAside,  // the rounds of the batching loop and of the journal
  kTranslator,
};

// While it exists, allocations of the thread belong to this part. The default is kNetwork.
class PlaysPart {
 public:
  explicit PlaysPart(Part part);
  PlaysPart(const PlaysPart&) = delete;
  PlaysPart& operator=(const PlaysPart&) = delete;
  ~PlaysPart();

 private:
  const Part before_;
};

// While it exists, no allocation of the thread fails: for work of the test itself, and for work
// that another thread does in the daemon.
class EnoughMemory {
 public:
  EnoughMemory();
  EnoughMemory(const EnoughMemory&) = delete;
  EnoughMemory& operator=(const EnoughMemory&) = delete;
  ~EnoughMemory();

 private:
  const bool before_;
};

struct Shortage {
  int in_a_row = 1;  // allocations that fail from the n-th on
  Part of = Part::kNetwork;
};

// Runs `scenario` once for each of its allocations, and lets this allocation and, for in_a_row > 1,
// the ones after it fail. `scenario` may throw std::bad_alloc. Returns the number of allocations,
// or the number of the one at which the test failed.
int fail_each_allocation(const std::function<void()>& scenario, Shortage shortage = {});

// Like malloc(), but counted with the other allocations, for a library that does not use operator
// new. Returns nullptr if the allocation fails.
void* allocate_or_null(std::size_t size);

}  // namespace surtitle
