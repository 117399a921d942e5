// Compares the CPU's inference with the released GMA model.

#include <gtest/gtest.h>

#include "model/cpu/cpu_inference.h"
#include "tests/model/support/golden_cases.h"

namespace surtitle {
namespace {

TEST(golden_engine, StreamsAsReleasedCodeComputes) {
  expect_golden_models(
      [](const Package& package) {
        return std::make_unique<CpuInference>(
            package,
            CpuInference::Options{.slots = 1, .source_positions = 1024, .target_positions = 1024});
      },
      /*tolerance=*/1e-5);
}

}  // namespace
}  // namespace surtitle
