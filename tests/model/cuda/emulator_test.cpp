// Checks that the emulator of a CUDA device detects errors in kernels.

#include "tests/model/cuda/emulator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace surtitle::cuda {
namespace {

constexpr int kThreads = 64;

struct Output {
  float* values;  // [kThreads]
  bool wait;
};

// Outputs each thread's neighbour's number, through shared memory.
void pass_on(Output out) {
  dynamic_shared()[thread_index()] = static_cast<float>(thread_index());
  if (out.wait) sync_threads();
  out.values[thread_index()] = dynamic_shared()[(thread_index() + 1) % kThreads];
}

std::array<float, kThreads> run(void (*kernel)(Output), bool wait) {
  std::array<float, kThreads> values{};
  Stream stream;
  stream.launch(kernel, {.threads = kThreads, .shared = kThreads * sizeof(float)},
                {values.data(), wait});
  stream.synchronize();
  return values;
}

TEST(CudaEmulator, AMissingBarrierShows) {
  const auto good = run(pass_on, true);
  for (int i = 0; i < kThreads; ++i)
    EXPECT_EQ(good[static_cast<std::size_t>(i)], static_cast<float>((i + 1) % kThreads));
  int wrong = 0;
  for (const float value : run(pass_on, false)) wrong += std::isnan(value) ? 1 : 0;
  EXPECT_GT(wrong, 0);
}

TEST(CudaEmulator, ShufflesWithinAWarp) {
  const auto values = run(
      [](Output out) {
        out.values[thread_index()] = shuffle_xor(static_cast<float>(thread_index()), 4);
      },
      true);
  for (int i = 0; i < kThreads; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(i ^ 4));
}

TEST(CudaEmulator, RefusesThreadsThatDoNotMeet) {
  const auto barrier = [](Output) {
    if (thread_index() != 3) sync_threads();
  };
  const auto shuffle = [](Output) {
    if (thread_index() != 3) shuffle_xor(1.0F, 1);
  };
  EXPECT_THROW(run(barrier, true), std::logic_error);
  EXPECT_THROW(run(shuffle, true), std::logic_error);
  EXPECT_EQ(run(pass_on, true)[0], 1) << "a later run succeeds";
}

TEST(CudaEmulator, DoesNothingBeforeItIsAwaited) {
  const auto pinned = allocate_pinned<float>(1);
  const auto device = allocate<float>(1);
  const auto result = allocate_pinned<float>(1);
  Stream stream;
  pinned[0] = 1;
  stream.upload(device.get(), pinned.get(), sizeof(float));
  stream.download(result.get(), device.get(), sizeof(float));
  EXPECT_TRUE(std::isnan(result[0]));
  pinned[0] = 2;
  stream.synchronize();
  EXPECT_EQ(result[0], 2) << "the upload has the last content of the buffer";
}

TEST(CudaEmulator, AGraphIsWhatWasCaptured) {
  const auto from = allocate<float>(1);
  const auto to = allocate<float>(1);
  Stream stream;
  from[0] = 1;
  const Graph graph = stream.capture([&] { stream.copy(to.get(), from.get(), sizeof(float)); });
  stream.synchronize();
  EXPECT_TRUE(std::isnan(to[0]));
  for (const float value : {3.0F, 4.0F}) {
    from[0] = value;
    stream.replay(graph);
    stream.synchronize();
    EXPECT_EQ(to[0], value);
  }
  EXPECT_THROW(stream.capture([&] { stream.synchronize(); }), std::logic_error);
  EXPECT_THROW(stream.capture([] { allocate<float>(1); }), std::logic_error);
}

TEST(CudaEmulator, HalvesRoundAsIeee754Does) {
  for (int bits = 0; bits < 0x7C00; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const Half above{static_cast<std::uint16_t>(bits + 1)};
    ASSERT_EQ(to_half(to_float(half)).bits, bits);
    ASSERT_EQ(to_half(-to_float(half)).bits, bits | 0x8000);
    if (bits + 1 == 0x7C00) break;
    const float middle = (to_float(half) + to_float(above)) / 2;
    ASSERT_LT(to_float(half), to_float(above));
    ASSERT_EQ(to_half(middle).bits, bits % 2 == 0 ? bits : bits + 1) << "ties to even";
    ASSERT_EQ(to_half(std::nextafter(middle, 0.0F)).bits, bits);
    ASSERT_EQ(to_half(std::nextafter(middle, 1e9F)).bits, bits + 1);
  }
  EXPECT_EQ(to_half(65519.0F).bits, 0x7BFF);
  EXPECT_EQ(to_half(65520.0F).bits, 0x7C00);
  EXPECT_TRUE(std::isinf(to_float(Half{0x7C00})));
  EXPECT_TRUE(std::isnan(to_float(to_half(NAN))));
}

}  // namespace
}  // namespace surtitle::cuda
