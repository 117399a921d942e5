#include "model/engine/monotonic_stops.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr int kHeads = 3;
constexpr int kSource = 12;
constexpr int kSteps = 20;

// A step's outcome with `encoded` source tokens.
struct Outcome {
  int visible = 0;
  std::vector<double> stops;
};

class MonotonicStops : public testing::TestWithParam<const char*> {
 protected:
  // Computes a step of a sentence whose source is finished when all of it is encoded.
  Outcome step(int index, int encoded, const std::vector<double>& before) const {
    DecoderStep step{.target_index = index, .encoded = encoded, .policy = policy_.get()};
    if (encoded == kSource) step.max_visible = kSource;
    std::vector<float> energies;
    for (int h = 0; h < kHeads; ++h) {
      const auto first = energies_.begin() + std::ptrdiff_t{index * kHeads + h} * kSource;
      energies.insert(energies.end(), first, first + encoded);
    }
    Outcome outcome{0, before};
    outcome.visible = find_stops(step, energies.data(), encoded, outcome.stops);
    return outcome;
  }

  void draw(std::mt19937& random) {
    std::normal_distribution<float> normal(-1.5F, 1);
    energies_.resize(std::size_t{kSteps} * kHeads * kSource);
    for (float& energy : energies_) energy = normal(random);
  }

  const PolicyPtr policy_ = make_policy(GetParam());
  std::vector<float> energies_;  // [step, head, source]
};

// A step never waits for more tokens than it sees in the end. When it no longer waits, it equals
// the step with the whole source.
TEST_P(MonotonicStops, DoNotDependOnWhatHasCome) {
  std::mt19937 random(2);
  int waits = 0;
  for (int sentence = 0; sentence < 50; ++sentence) {
    draw(random);
    std::vector<double> before(kHeads);
    for (int index = 0; index < kSteps; ++index) {
      const Outcome whole = step(index, kSource, before);
      for (int encoded = 1; encoded < kSource; ++encoded) {
        const Outcome part = step(index, encoded, before);
        if (part.visible > encoded && part.visible < kSource) {
          ++waits;
          EXPECT_LE(part.visible, whole.visible) << GetParam() << ", step " << index;
        } else if (part.visible <= encoded) {
          EXPECT_EQ(part.visible, whole.visible) << GetParam() << ", step " << index;
          EXPECT_EQ(part.stops, whole.stops) << GetParam() << ", step " << index;
        }
      }
      for (std::size_t h = 0; h < kHeads; ++h) {
        EXPECT_GE(whole.stops[h], before[h]);
        EXPECT_LT(whole.stops[h], whole.visible);
      }
      before = whole.stops;
    }
  }
  EXPECT_EQ(waits > 0, policy_->name() != "full-sentence");
}

INSTANTIATE_TEST_SUITE_P(Policies, MonotonicStops,
                         testing::Values("mma", "mma:threshold=0.9", "gma:delta=0", "gma:delta=2.5",
                                         "wait-k:k=2", "full-sentence"));

std::vector<double> stops_of(const std::vector<float>& energies, const std::string& policy,
                             std::vector<double> before, int encoded, int& visible) {
  const auto made = make_policy(policy);
  const DecoderStep step{.encoded = encoded, .max_visible = encoded, .policy = made.get()};
  visible = find_stops(step, energies.data(), encoded, before);
  return before;
}

TEST(MonotonicStopsOfAHead, AreWhereItsEnergyReachesTheThreshold) {
  using Stops = std::vector<double>;
  int visible = 0;
  const std::vector<float> energies = {2, -1, -0.1F, 0, 1.5F, 3};
  EXPECT_EQ(stops_of(energies, "mma", {0}, 6, visible), (Stops{0}));
  EXPECT_EQ(visible, 1);
  EXPECT_EQ(stops_of(energies, "mma", {1}, 6, visible), (Stops{3}));
  EXPECT_EQ(visible, 4);
  // p = 0.8 is an energy of log 4, 0.82 of 1.516.
  EXPECT_EQ(stops_of(energies, "mma:threshold=0.8", {1}, 6, visible), (Stops{4}));
  EXPECT_EQ(stops_of(energies, "mma:threshold=0.82", {1}, 6, visible), (Stops{5}));
  // A head that finds no stop ends at the last visible token.
  EXPECT_EQ(stops_of(energies, "mma", {1}, 3, visible), (Stops{2}));
  EXPECT_EQ(visible, 3);
  EXPECT_EQ(stops_of(energies, "wait-k:k=2", {1}, 6, visible), (Stops{1}));
  EXPECT_EQ(visible, 2);
}

}  // namespace
}  // namespace surtitle
