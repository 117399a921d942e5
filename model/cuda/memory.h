// Owners of device memory and of pinned host memory.
//
// The device copies from and to pinned memory without the processor. Thread-safety: none.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace surtitle::cuda {

// Thrown if the device's free memory does not suffice.
class OutOfMemory : public std::runtime_error {
 public:
  explicit OutOfMemory(std::size_t bytes)
      : std::runtime_error("the CUDA device cannot allocate " + std::to_string(bytes >> 20) +
                           " MiB of memory; free some of it, or choose the device cpu") {}
};

// Implemented by the platform. The memory is 16-byte aligned and uninitialised.
void* device_allocate(std::size_t bytes);
void device_free(void* memory) noexcept;
void* pinned_allocate(std::size_t bytes);
void pinned_free(void* memory) noexcept;
std::size_t device_memory_left();

struct DeviceFree {
  void operator()(void* memory) const noexcept { device_free(memory); }
};
struct PinnedFree {
  void operator()(void* memory) const noexcept { pinned_free(memory); }
};

template <typename T>
using Buffer = std::unique_ptr<T[], DeviceFree>;  // NOLINT(modernize-avoid-c-arrays)
template <typename T>
using Pinned = std::unique_ptr<T[], PinnedFree>;  // NOLINT(modernize-avoid-c-arrays)

template <typename T>
Buffer<T> allocate(std::size_t count) {
  return Buffer<T>(static_cast<T*>(device_allocate(count * sizeof(T))));
}

template <typename T>
Pinned<T> allocate_pinned(std::size_t count) {
  return Pinned<T>(static_cast<T*>(pinned_allocate(count * sizeof(T))));
}

// Launch size of a kernel: blocks * rows blocks, each of `threads` threads, a multiple of 32.
struct LaunchShape {
  int blocks = 1;
  int rows = 1;
  int threads = 32;
  std::size_t shared = 0;  // bytes, at most 48 KiB
};

}  // namespace surtitle::cuda
