// A std::vector that begins at a cache line.
//
// No vector load of a kernel crosses a cache line then.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace surtitle {

template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <typename Other>
  CacheLineAllocator(const CacheLineAllocator<Other>&) noexcept {}  // NOLINT: converts by contract

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* at, std::size_t) noexcept { ::operator delete(at, kAlignment); }
  bool operator==(const CacheLineAllocator&) const noexcept { return true; }
};

template <typename T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace surtitle
