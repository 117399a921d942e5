// Lets the n-th allocation of an engine fail, for every n, while two sentences are translated.
//
// Both sentences fail. The next sentence finds both slots free and has the usual translation.
//
// A separate program, because it replaces operator new.
#include "tests/failing_allocations.h"

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/cpu/int8_matrix.h"
#include "policies/registry.h"
#include "tests/model/support/cpu_engine.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

constexpr int kSlots = 2;
constexpr int kMaxSource = 24;
constexpr int kPieces = 40;

class FailingAllocations : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Engine> make_engine(Precision precision) const {
    return cpu_engine(package_, kSlots, kMaxSource, precision);
  }

  // Translates two sentences. One shows its attention; the other shares its source at first and
  // continues from forced tokens. After an exception both are closed.
  void translate_two(Engine& engine) const {
    std::vector<SentenceId> open;
    try {
      translate_two(engine, open);
    } catch (const std::exception&) {
    }
    for (const SentenceId id : open) engine.close(id);
  }

  // Translates the same sentence in both slots.
  static std::vector<Write> translate_in_both(Engine& engine, const PolicyPtr& policy) {
    const std::vector<SentenceId> open{*engine.open(policy), *engine.open(policy)};
    for (const SentenceId id : open) {
      engine.read(id, std::vector<int>{5, 6, 7, 8, 9, 10, 11});
      engine.finish(id);
    }
    std::vector<Write> writes;
    while (engine.tick(writes)) {
    }
    for (const SentenceId id : open) engine.close(id);
    return writes;
  }

  static void expect_same(const std::vector<Write>& writes, const std::vector<Write>& other) {
    ASSERT_EQ(writes.size(), other.size());
    for (std::size_t i = 0; i < writes.size(); ++i) {
      EXPECT_EQ(writes[i].token, other[i].token);
      EXPECT_EQ(writes[i].read, other[i].read);
    }
  }

  const PolicyPtr policy_ = make_policy(GetParam());

 private:
  void translate_two(Engine& engine, std::vector<SentenceId>& open) const {
    {
      const EnoughMemory enough;
      open.reserve(kSlots);
    }
    std::vector<Write> writes;
    const std::vector<int> begin = {12, 13};
    const std::vector<int> rest = {15, 16};
    open.push_back(*engine.open(policy_));
    engine.record_attention(open[0]);
    open.push_back(*engine.open(policy_));
    engine.force(open[1], {20, 21});
    engine.share_source(open[1], open[0]);
    for (const SentenceId id : open) engine.read(id, begin);
    engine.tick(writes);
    for (const SentenceId id : open) {
      engine.read(id, rest);
      engine.tick(writes);
      engine.finish(id);
    }
    while (engine.tick(writes)) {
    }
  }

  const TemporaryFolder folder_;
  const Package package_ = random_package({.d_model = 32,
                                           .ffn = 48,
                                           .encoder_layers = 2,
                                           .source_vocabulary = kPieces,
                                           .target_vocabulary = kPieces,
                                           .tied_output = false,
                                           .meaning_units = GetParam() == "mu"},
                                          folder_.path() / "package");
};

TEST_P(FailingAllocations, OfAnEngineTakeNoSlotAndLeaveTheNextSentenceAsItIs) {
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    if (precision == Precision::kInt8 && !Int8Matrix::supported()) continue;
    const std::vector<Write> undisturbed = translate_in_both(*make_engine(precision), policy_);
    ASSERT_FALSE(undisturbed.empty());
    const int allocations = fail_each_allocation([&] {
      std::optional<EnoughMemory> enough(std::in_place);
      const std::unique_ptr<Engine> engine = make_engine(precision);
      enough.reset();
      translate_two(*engine);
      enough.emplace();
      expect_same(translate_in_both(*engine, policy_), undisturbed);
    });
    EXPECT_GT(allocations, 20);
  }
}

std::string name_of(const testing::TestParamInfo<std::string>& policy) {
  std::string name = policy.param.substr(0, policy.param.find(':'));
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Policies, FailingAllocations,
                         testing::Values("gma:delta=1", "full-sentence", "wait-k:k=3",
                                         "local-agreement", "alignatt", "mu"),
                         name_of);

}  // namespace
}  // namespace surtitle
