#include "tests/failing_allocations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <utility>

namespace surtitle {
namespace {

constexpr long kNoneFails = std::numeric_limits<long>::max();

// The number of allocations before the failing one. Below 0, its absolute value counts allocations
// from the failing one on.
thread_local long allocations_left = kNoneFails;
thread_local Shortage shortage;
thread_local Part part = Part::kNetwork;
thread_local bool enough = false;

bool fails() {
  if (allocations_left == kNoneFails || enough || part != shortage.of) {
    return false;
  }
  --allocations_left;
  return allocations_left < 0 && allocations_left >= -shortage.in_a_row;
}

void* or_throw(void* memory) {
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

void* allocate(std::size_t size) { return or_throw(allocate_or_null(size == 0 ? 1 : size)); }

void* allocate(std::size_t size, std::size_t alignment) {
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  return or_throw(fails() ? nullptr : std::aligned_alloc(alignment, whole));
}

}  // namespace

void* allocate_or_null(std::size_t size) { return fails() ? nullptr : std::malloc(size); }

PlaysPart::PlaysPart(Part plays) : before_(std::exchange(part, plays)) {}
PlaysPart::~PlaysPart() { part = before_; }

EnoughMemory::EnoughMemory() : before_(std::exchange(enough, true)) {}
EnoughMemory::~EnoughMemory() { enough = before_; }

int fail_each_allocation(const std::function<void()>& scenario, Shortage of) {
  shortage = of;
  for (int n = 0;; ++n) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "allocation " + std::to_string(n));
    allocations_left = n;
    try {
      scenario();
    } catch (const std::bad_alloc&) {
    }
    if (std::exchange(allocations_left, kNoneFails) >= 0 || testing::Test::HasFailure()) {
      return n;
    }
  }
}

}  // namespace surtitle

void* operator new(std::size_t size) { return surtitle::allocate(size); }
void* operator new[](std::size_t size) { return surtitle::allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return surtitle::allocate_or_null(size == 0 ? 1 : size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return surtitle::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
