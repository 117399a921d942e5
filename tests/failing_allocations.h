// Memory that runs out, for the thread of a test: an operator new in the place of the program's.
// What other threads allocate never fails.
//
// Thread-safety: none but that.
#pragma once

#include <cstddef>
#include <functional>

namespace surtitle {

// Whose allocations a test's thread makes, where it plays more than one.
enum class Part {
  kNetwork,
  kAside,  // the rounds of the batching loop and of the journal
  kTranslator,
};

// For as long as it lives they are this one's. It was the network's before.
class PlaysPart {
 public:
  explicit PlaysPart(Part part);
  PlaysPart(const PlaysPart&) = delete;
  PlaysPart& operator=(const PlaysPart&) = delete;
  ~PlaysPart();

 private:
  const Part before_;
};

// For as long as it lives there is enough: what happens is the test's own, or another thread's.
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

// Runs `scenario` once for each of its allocations, which fails, with those behind it.
// std::bad_alloc may come out of it. Returns how many there were, or the one at which the test
// failed.
int fail_each_allocation(const std::function<void()>& scenario, Shortage shortage = {});

// As malloc(), but counted with the others, for a library that has no operator new.
void* allocate_or_null(std::size_t size);

}  // namespace surtitle
