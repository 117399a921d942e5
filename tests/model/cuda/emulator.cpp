#include "tests/model/cuda/emulator.h"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace surtitle::cuda {
namespace {

constexpr int kWarpThreads = 32;
constexpr int kMaxThreads = 1024;
constexpr std::size_t kMaxShared = std::size_t{48} << 10;
constexpr std::size_t kStack = std::size_t{64} << 10;

// Every bit set: a NaN in every format.
void fill_with_nans(void* memory, std::size_t bytes) { std::memset(memory, 0xFF, bytes); }

// State of a fiber that is not running.
enum class State { kReady, kAtBarrier, kInShuffle, kDone };

struct Fiber {
  ucontext_t context{};
  std::vector<char> stack;
  State state = State::kDone;
  std::uint32_t value = 0;  // of a shuffle
  int mask = 0;
};

// The threads of a block. Fibers are reused from block to block.
class Block {
 public:
  void run(const LaunchShape& shape, int index, int row, const std::function<void()>& kernel) {
    index_ = index;
    row_ = row;
    kernel_ = &kernel;
    count_ = shape.threads;
    // Allocated for each block, so that AddressSanitizer sees its end.
    shared_ = std::vector<std::max_align_t>(shape.shared / sizeof(std::max_align_t) + 1);
    fill_with_nans(shared_.data(), shape.shared);
    while (fibers_.size() < static_cast<std::size_t>(count_)) add_fiber();
    for (auto& fiber : threads()) fiber->state = State::kReady;
    do {
      run_ready();
    } while (release());
  }

  int thread() const { return running_; }
  int index() const { return index_; }
  int row() const { return row_; }
  int count() const { return count_; }
  float* shared() { return reinterpret_cast<float*>(shared_.data()); }

  void wait_for_all() { give_way(State::kAtBarrier); }
  std::uint32_t exchange(std::uint32_t value, int mask) {
    auto& fiber = *fibers_[static_cast<std::size_t>(running_)];
    fiber.value = value;
    fiber.mask = mask;
    give_way(State::kInShuffle);
    return fiber.value;
  }
  void seed(std::uint32_t value) { random_.seed(value); }
  std::mt19937& random() { return random_; }

 private:
  std::span<std::unique_ptr<Fiber>> threads() {
    return {fibers_.data(), static_cast<std::size_t>(count_)};
  }

  void add_fiber();

  [[noreturn]] void live() {
    while (true) {
      (*kernel_)();
      give_way(State::kDone);
    }
  }

  void give_way(State state) {
    auto& fiber = *fibers_[static_cast<std::size_t>(running_)];
    fiber.state = state;
    swapcontext(&fiber.context, &scheduler_);
  }

  void run_ready() {
    order_.clear();
    for (int i = 0; i < count_; ++i)
      if (fibers_[static_cast<std::size_t>(i)]->state == State::kReady) order_.push_back(i);
    std::shuffle(order_.begin(), order_.end(), random_);
    for (const int i : order_) {
      running_ = i;
      swapcontext(&scheduler_, &fibers_[static_cast<std::size_t>(i)]->context);
    }
  }

  // Resumes fibers whose wait is over; returns false if all are done. Shuffles precede barriers,
  // which cannot open while a thread is in a shuffle.
  bool release() {
    bool shuffled = false;
    for (int first = 0; first < count_; first += kWarpThreads)
      shuffled = shuffle_warp(threads().subspan(static_cast<std::size_t>(first), kWarpThreads)) ||
                 shuffled;
    if (shuffled) return true;
    const auto waiting = std::count_if(threads().begin(), threads().end(), [](const auto& fiber) {
      return fiber->state == State::kAtBarrier;
    });
    if (waiting == 0) return false;
    if (waiting < count_) fail("some threads of a block have ended while others wait at a barrier");
    for (auto& fiber : threads()) fiber->state = State::kReady;
    return true;
  }

  bool shuffle_warp(std::span<std::unique_ptr<Fiber>> warp) {
    const auto in = std::count_if(warp.begin(), warp.end(), [](const auto& fiber) {
      return fiber->state == State::kInShuffle;
    });
    if (in == 0) return false;
    if (in < kWarpThreads) fail("threads of a warp do not take part in its shuffle");
    std::vector<std::uint32_t> values;
    for (const auto& fiber : warp) values.push_back(fiber->value);
    for (std::size_t i = 0; i < warp.size(); ++i) {
      if (warp[i]->mask != warp.front()->mask) fail("threads of a warp shuffle differently");
      warp[i]->value = values[i ^ static_cast<std::size_t>(warp[i]->mask)];
      warp[i]->state = State::kReady;
    }
    return true;
  }

  [[noreturn]] void fail(const char* what) {
    fibers_.clear();  // they are suspended inside the kernel
    throw std::logic_error(std::string("emulated CUDA: ") + what);
  }

  int index_ = 0;
  int row_ = 0;
  int count_ = 0;
  int running_ = 0;
  const std::function<void()>* kernel_ = nullptr;
  std::vector<std::max_align_t> shared_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<int> order_;
  ucontext_t scheduler_{};
  std::mt19937 random_;

  friend void fiber_main();
};

Block& block() {
  static Block one;
  return one;
}

void fiber_main() { block().live(); }

void Block::add_fiber() {
  auto fiber = std::make_unique<Fiber>();
  fiber->stack.resize(kStack);
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack.data();
  fiber->context.uc_stack.ss_size = kStack;
  makecontext(&fiber->context, fiber_main, 0);
  fibers_.push_back(std::move(fiber));
}

bool capturing = false;
std::size_t allocated = 0;
int pinned = 0;
std::unordered_map<void*, std::size_t>& allocations() {
  static std::unordered_map<void*, std::size_t> sizes;
  return sizes;
}

void refuse_while_capturing(const char* what) {
  if (capturing) throw std::logic_error(std::string("emulated CUDA: ") + what + " in a capture");
}

void* allocate_filled(std::size_t bytes) {
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw OutOfMemory(bytes);
  fill_with_nans(memory, bytes);
  return memory;
}

// Uses eight sums, which a compiler keeps in a vector.
float dot(const float* a, const float* b, int count) {
  constexpr int kSums = 8;
  std::array<float, kSums> sums{};
  int i = 0;
  for (; i + kSums <= count; i += kSums)
    for (std::size_t lane = 0; lane < kSums; ++lane) {
      const auto at = static_cast<std::size_t>(i) + lane;
      sums[lane] += a[at] * b[at];
    }
  float sum = 0;
  for (; i < count; ++i) sum += a[i] * b[i];
  for (const float part : sums) sum += part;
  return sum;
}

void multiply(const float* x, int rows, const float* w, int outputs, int inputs, float* y,
              bool add) {
  const auto size = static_cast<std::size_t>(inputs);
  for (int row = 0; row < rows; ++row) {
    for (int output = 0; output < outputs; ++output) {
      float& to = y[static_cast<std::size_t>(row) * static_cast<std::size_t>(outputs) +
                    static_cast<std::size_t>(output)];
      const float sum = dot(x + static_cast<std::size_t>(row) * size,
                            w + static_cast<std::size_t>(output) * size, inputs);
      to = add ? to + sum : sum;
    }
  }
}

std::vector<float> floats(const Half* values, int rows, int columns) {
  static const std::vector<float> table = [] {
    std::vector<float> all;
    all.reserve(std::size_t{1} << 16);
    for (int bits = 0; bits < 1 << 16; ++bits)
      all.push_back(to_float(Half{static_cast<std::uint16_t>(bits)}));
    return all;
  }();
  std::vector<float> result(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = table[values[i].bits];
  return result;
}

}  // namespace

int thread_index() { return block().thread(); }
int block_index() { return block().index(); }
int block_row() { return block().row(); }
int block_threads() { return block().count(); }
void sync_threads() { block().wait_for_all(); }
float* dynamic_shared() { return block().shared(); }

float shuffle_xor(float value, int mask) {
  return std::bit_cast<float>(block().exchange(std::bit_cast<std::uint32_t>(value), mask));
}
int shuffle_xor(int value, int mask) {
  return std::bit_cast<int>(block().exchange(std::bit_cast<std::uint32_t>(value), mask));
}

Half to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const float size = std::fabs(value);
  if (std::isnan(value)) return {static_cast<std::uint16_t>(sign | 0x7E00U)};
  if (size >= 65520.0F) return {static_cast<std::uint16_t>(sign | 0x7C00U)};
  if (size == 0) return {sign};
  int exponent = 0;
  std::frexp(size, &exponent);
  const int last = std::max(exponent, -13) - 11;  // the exponent of the last bit kept
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -last)));
  // The leading one of `steps` is bit 10; adding it increments the exponent correctly.
  const auto base = static_cast<std::uint32_t>(std::max(exponent + 13, 0)) << 10;
  return {static_cast<std::uint16_t>(sign | (base + steps))};
}

float to_float(Half value) {
  const int exponent = (value.bits >> 10) & 0x1F;
  const int fraction = value.bits & 0x3FF;
  float size = 0;
  if (exponent == 0x1F) {
    size = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    size = std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 112) << 23 |
                                static_cast<std::uint32_t>(fraction) << 13);
  }
  return (value.bits & 0x8000U) != 0 ? -size : size;
}

Emulation& emulation() {
  static Emulation choices;
  return choices;
}

std::string device_name() {
  if (!emulation().present) throw std::runtime_error("no CUDA device");
  return "emulated";
}

void* device_allocate(std::size_t bytes) {
  refuse_while_capturing("allocation");
  if (bytes > device_memory_left() || emulation().allocations-- == 0) throw OutOfMemory(bytes);
  void* memory = allocate_filled(bytes);
  allocated += bytes;
  allocations()[memory] = bytes;
  return memory;
}

void device_free(void* memory) noexcept {
  const auto at = allocations().find(memory);
  if (at == allocations().end()) return;
  allocated -= at->second;
  allocations().erase(at);
  std::free(memory);
}

void* pinned_allocate(std::size_t bytes) {
  refuse_while_capturing("allocation");
  if (emulation().allocations-- == 0)
    throw std::runtime_error("CUDA: cannot allocate pinned memory");
  void* memory = allocate_filled(bytes);
  ++pinned;
  return memory;
}

void pinned_free(void* memory) noexcept {
  if (memory != nullptr) --pinned;
  std::free(memory);
}

int pinned_buffers() { return pinned; }

std::size_t device_memory_left() {
  return emulation().memory - std::min(emulation().memory, allocated);
}

void Stream::run(const LaunchShape& shape, const std::function<void()>& kernel) {
  if (shape.threads < 1 || shape.threads > kMaxThreads || shape.threads % kWarpThreads != 0 ||
      shape.shared > kMaxShared || shape.blocks < 1 || shape.rows < 1)
    throw std::logic_error("emulated CUDA: a kernel's shape is not allowed");
  block().seed(emulation().seed++);
  std::vector<int> order(static_cast<std::size_t>(shape.blocks) *
                         static_cast<std::size_t>(shape.rows));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::shuffle(order.begin(), order.end(), block().random());
  for (const int at : order) block().run(shape, at % shape.blocks, at / shape.blocks, kernel);
}

void Stream::product(const Half* x, int rows, const Half* w, int outputs, int inputs, float* y,
                     bool add) {
  work_.emplace_back([=] {
    multiply(floats(x, rows, inputs).data(), rows, floats(w, outputs, inputs).data(), outputs,
             inputs, y, add);
  });
}

void Stream::product(const float* x, int rows, const float* w, int outputs, int inputs, float* y,
                     bool add) {
  work_.emplace_back([=] { multiply(x, rows, w, outputs, inputs, y, add); });
}

void Stream::upload(void* device, const void* host, std::size_t bytes) {
  copy(device, host, bytes);
}

void Stream::download(void* host, const void* device, std::size_t bytes) {
  copy(host, device, bytes);
}

void Stream::copy(void* to, const void* from, std::size_t bytes) {
  add([=] { std::memcpy(to, from, bytes); });
}

Stream::Capture::Capture() { capturing = true; }
Stream::Capture::~Capture() { capturing = false; }

void Stream::replay(const Graph& graph) {
  refuse_while_capturing("a replay");
  work_.insert(work_.end(), graph.begin(), graph.end());
}

void Stream::synchronize() {
  refuse_while_capturing("waiting");
  const Graph work = std::exchange(work_, {});
  if (emulation().fail)
    throw std::runtime_error("CUDA: cannot synchronize a stream: emulated failure");
  for (const auto& one : work) one();
}

}  // namespace surtitle::cuda
