// The measured cost of steps of a scripted translator, which take time on the test's clock.
#include "daemon/translation/step_cost.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "policies/registry.h"
#include "tests/daemon/support/scripted_translator.h"

namespace surtitle {
namespace {

struct Measured {
  StepCostModel cost;
  int steps = 0;
  int free_slots = 0;  // afterwards
};

Measured measure(const std::function<Seconds(int step)>& duration, int max_sentences) {
  Measured measured;
  TimePoint now{std::chrono::hours(1)};
  ScriptedOptions options;
  options.max_sentences = max_sentences;
  options.before_step = [&] { now += to_duration(duration(measured.steps++)); };
  ScriptedTranslator translator(std::make_shared<ScriptedTokenizer>(), options);
  measured.cost = calibrate_step_cost(translator, [&] { return now; });
  while (translator.open(make_policy("gma"))) {
    ++measured.free_slots;
  }
  return measured;
}

Measured measure(Seconds step, int max_sentences) {
  return measure([step](int) { return step; }, max_sentences);
}

TEST(CalibrateStepCost, MeasuresWholeSentencesIfStepsAreQuick) {
  const Measured measured = measure(Seconds(0.001), 64);
  EXPECT_EQ(measured.cost.tokens(), (1 + 8 + 32) * (8 + 8 + 1))
      << "tokens read, tokens written, and the end";
  EXPECT_GT(measured.cost.token_cost(), 0);
  EXPECT_EQ(measured.free_slots, 64);
}

// One step each with one, eight and 32 sentences side by side, cold and warm.
TEST(CalibrateStepCost, MeasuresAStepOfEachSizeIfStepsAreSlow) {
  const Measured measured = measure(Seconds(1), 64);
  EXPECT_EQ(measured.steps, 6);
  EXPECT_GT(measured.cost.tokens(), 0);
  EXPECT_GT(measured.cost.token_cost(), 0);
  EXPECT_EQ(measured.free_slots, 64);
}

// Another process has the processor for a moment, during small steps and large ones.
TEST(CalibrateStepCost, IgnoresStepsThatWaitForAProcessor) {
  const Measured quiet = measure(Seconds(0.0005), 64);
  const Measured disturbed =
      measure([](int step) { return Seconds(step % 7 == 3 ? 0.01 : 0.0005); }, 64);
  EXPECT_EQ(disturbed.cost.token_cost(), quiet.cost.token_cost());
  EXPECT_EQ(disturbed.cost.seconds(), quiet.cost.seconds());
}

TEST(CalibrateStepCost, UsesNoMoreSentencesThanThereAreSlots) {
  const Measured measured = measure(Seconds(0.001), 2);
  EXPECT_EQ(measured.cost.tokens(), (1 + 2 + 2) * (8 + 8 + 1));
  EXPECT_EQ(measured.free_slots, 2);
}

}  // namespace
}  // namespace surtitle
