// The seam of platform.h without a device: kernels run on the CPU, for tests.
//
// Every thread of a block is a fiber. One runs at a time until it meets a barrier or a shuffle or
// ends, and who runs next is drawn at random from a seed: a kernel whose threads do not wait for
// each other gives wrong numbers, one whose threads wait for different things is an error. Blocks
// run in random order too, one after the other. Memory, shared memory included, begins as NaNs.
//
// A Stream only notes what it is asked for and does it in synchronize(): a result that is looked at
// too early, or a pinned row that is written too early, shows. Inside capture() nothing may be
// allocated or awaited, as on a device.
//
// Thread-safety: none; one thread uses all of it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "model/cuda/memory.h"

#define SURTITLE_KERNEL
#define SURTITLE_DEVICE inline

namespace surtitle::cuda {

// Of the running fiber.
int thread_index();
int block_index();
int block_row();
int block_threads();
void sync_threads();
float* dynamic_shared();

float shuffle_xor(float value, int mask);
int shuffle_xor(int value, int mask);

// IEEE 754 binary16.
struct Half {
  std::uint16_t bits;
};
Half to_half(float value);  // to nearest, ties to even
float to_float(Half value);
inline float to_float(float value) { return value; }

template <typename T>
T from_float(float value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(value);
  } else {
    return value;
  }
}

// What tests may choose.
struct Emulation {
  std::uint32_t seed = 1;
  std::size_t memory = std::size_t{1} << 30;          // of the device
  int allocations = std::numeric_limits<int>::max();  // until one fails, though memory is left
  bool fail = false;                                  // every synchronize() from now on
  bool present = true;                                // there is a device
};
Emulation& emulation();
int pinned_buffers();  // that are allocated

using Graph = std::vector<std::function<void()>>;

class Stream {
 public:
  template <typename Argument>
  void launch(void (*kernel)(Argument), const LaunchShape& shape,
              const std::type_identity_t<Argument>& argument) {
    add([=] { run(shape, [=] { kernel(argument); }); });
  }

  void product(const Half* x, int rows, const Half* w, int outputs, int inputs, float* y, bool add);
  void product(const float* x, int rows, const float* w, int outputs, int inputs, float* y,
               bool add);
  void upload(void* device, const void* host, std::size_t bytes);
  void download(void* host, const void* device, std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes);

  template <typename Body>
  Graph capture(const Body& body) {
    const Capture capture;
    Graph waiting;
    waiting.swap(work_);
    body();
    waiting.swap(work_);
    return waiting;
  }
  void replay(const Graph& graph);
  void synchronize();

 private:
  static void run(const LaunchShape& shape, const std::function<void()>& kernel);
  struct Capture {  // for as long as it lives
    Capture();
    ~Capture();
  };

  void add(std::function<void()> work) { work_.push_back(std::move(work)); }

  Graph work_;
};

std::string device_name();

}  // namespace surtitle::cuda
