#include "tests/daemon/failing_allocations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <utility>

namespace surtitle {
namespace {

constexpr long kEnough = std::numeric_limits<long>::max();

// Allocations before one fails; below 0, so many have failed since.
thread_local long allocations_left = kEnough;
thread_local long failures_in_a_row = 1;

void* allocate(std::size_t size) {
  if (allocations_left != kEnough) {
    --allocations_left;
    if (allocations_left < 0 && allocations_left >= -failures_in_a_row) {
      throw std::bad_alloc();
    }
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

EnoughMemory::EnoughMemory() : left_(std::exchange(allocations_left, kEnough)) {}
EnoughMemory::~EnoughMemory() { allocations_left = left_; }

int fail_each_allocation(const std::function<void()>& scenario, int in_a_row) {
  failures_in_a_row = in_a_row;
  for (int n = 0;; ++n) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "allocation " + std::to_string(n));
    allocations_left = n;
    try {
      scenario();
    } catch (const std::bad_alloc&) {
    }
    if (std::exchange(allocations_left, kEnough) >= 0 || testing::Test::HasFailure()) {
      return n;
    }
  }
}

}  // namespace surtitle

void* operator new(std::size_t size) { return surtitle::allocate(size); }
void* operator new[](std::size_t size) { return surtitle::allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
