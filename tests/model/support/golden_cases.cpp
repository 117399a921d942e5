#include "tests/model/support/golden_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/package/tensor_values.h"
#include "policies/registry.h"
#include "tests/golden_files.h"
#include "tests/golden_models.h"

namespace surtitle {
namespace {

// Source tokens arrive one at a time, and a step is tried after each.
void expect_case(const SafetensorsFile& file, const std::string& prefix, Inference& inference,
                 const Policy& policy, double tolerance) {
  const auto source = golden_integers(file, prefix + "src_tokens");
  const auto input = golden_integers(file, prefix + "prev_output_tokens");
  const auto reads = golden_integers(file, prefix + "reads");
  const auto logits = float_values(*file.find(prefix + "logits"));
  const auto vocabulary = logits.size() / input.size();
  inference.open(0);
  int encoded = 0;
  for (std::size_t t = 0; t < input.size(); ++t) {
    StepOutcome outcome;
    do {
      DecoderStep step{.slot = 0,
                       .target_index = static_cast<int>(t),
                       .previous = input[t],
                       .encoded = encoded,
                       .max_visible = static_cast<int>(source.size()),
                       .policy = &policy};
      outcome = {.required_source = encoded + 1};
      if (encoded > 0) inference.decode(std::span(&step, 1), std::span(&outcome, 1));
      if (outcome.required_source > 0) {
        ASSERT_LT(encoded, static_cast<int>(source.size()));
        const SourceToken token{0, encoded, source[static_cast<std::size_t>(encoded)]};
        inference.encode(std::span(&token, 1));
        ++encoded;
      }
    } while (outcome.required_source > 0);
    EXPECT_EQ(outcome.visible, reads[t]) << prefix << "step " << t;
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(t * vocabulary);
    const auto best = *std::max_element(row, row + static_cast<std::ptrdiff_t>(vocabulary));
    EXPECT_NEAR(row[outcome.token], best, tolerance) << prefix << "step " << t;
  }
  inference.close(0, encoded, static_cast<int>(input.size()));
}

}  // namespace

void expect_golden_models(const MakeInference& make, double tolerance) {
  for (const auto& path : golden_files("gma_model_", ".safetensors")) {
    SCOPED_TRACE(path.string());
    const Package package = golden_package(path);
    const auto& golden = package.weights;
    const auto inference = make(package);
    const auto policy = make_policy("gma:delta=" + golden.metadata().at("delta"));
    const int cases = std::stoi(golden.metadata().at("cases"));
    ASSERT_GT(cases, 0);
    for (int n = 0; n < cases; ++n)
      expect_case(golden, "case" + std::to_string(n) + ".", *inference, *policy, tolerance);
  }
}

}  // namespace surtitle
