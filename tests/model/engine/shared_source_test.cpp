// Sentences that share the encoding of their source.
//
// Their translations equal those without sharing, for any arrival of tokens and even if the hint to
// share was wrong. The source is encoded once.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "model/engine/inference_observer.h"
#include "policies/registry.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

constexpr int kMaxSource = 24;
constexpr int kSlots = 6;
constexpr int kPieces = 40;
constexpr int kPrefix = 3;

struct CountStates : InferenceObserver {
  void encoded(const ObservedState& /*state*/) override { ++states; }
  int states = 0;
};

struct Token {
  int token;
  int read;
  bool operator==(const Token&) const = default;
};

class SharedSource : public testing::Test {
 protected:
  struct Shared {
    std::unique_ptr<Engine> engine;
    CpuInference* inference;
  };

  Shared make_engine(const std::vector<std::vector<int>>& prefixes = {}) const {
    auto inference = std::make_unique<CpuInference>(
        package_, CpuInference::Options{.precision = Precision::kFloat32,
                                        .threads = 1,
                                        .slots = kSlots,
                                        .source_positions = source_positions(kMaxSource) + kPrefix,
                                        .target_positions = target_positions(kMaxSource)});
    CpuInference* there = inference.get();
    return {std::make_unique<Engine>(
                package_.description,
                TranslatorOptions{.max_sentences = kSlots, .max_source_tokens = kMaxSource},
                std::move(inference), Tokenizers(), prefixes),
            there};
  }

  std::vector<int> random_source() {
    std::vector<int> source(1 + random_() % (kMaxSource - 1));
    for (int& token : source) token = static_cast<int>(4 + random_() % (kPieces - 4));
    return source;
  }

  std::vector<Token> alone(const std::vector<int>& source, const std::string& policy,
                           const std::vector<int>& prefix = {}) const {
    const Shared shared = make_engine({prefix});
    const SentenceId id = *shared.engine->open(make_policy(policy));
    shared.engine->read(id, source);
    shared.engine->finish(id);
    std::vector<Write> writes;
    while (writes.empty() || !writes.back().end) shared.engine->tick(writes);
    std::vector<Token> tokens;
    for (const Write& write : writes) tokens.push_back({write.token, write.read});
    return tokens;
  }

  const TemporaryFolder folder_;
  const Package package_ = random_package({.d_model = 32,
                                           .ffn = 48,
                                           .encoder_layers = 2,
                                           .source_vocabulary = kPieces,
                                           .target_vocabulary = kPieces},
                                          folder_.path() / "package");
  std::mt19937 random_{5};
};

const std::vector<std::string> kPolicies = {"gma:delta=1", "full-sentence", "wait-k:k=3",
                                            "local-agreement"};

TEST_F(SharedSource, IsEncodedOnce) {
  const Shared shared = make_engine();
  CountStates count;
  shared.inference->observe(&count);
  const std::vector<int> source = random_source();
  std::vector<SentenceId> ids;
  std::map<SentenceId, std::vector<Token>> written;
  for (const std::string& policy : kPolicies) {
    ids.push_back(*shared.engine->open(make_policy(policy)));
    if (ids.size() > 1) shared.engine->share_source(ids.back(), ids.front());
  }
  std::vector<Write> writes;
  for (const int token : source) {
    for (const SentenceId id : ids) shared.engine->read(id, std::span(&token, 1));
    shared.engine->tick(writes);
  }
  for (const SentenceId id : ids) shared.engine->finish(id);
  while (shared.engine->tick(writes)) {
  }
  for (const Write& write : writes) written[write.sentence].push_back({write.token, write.read});
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(written[ids[i]], alone(source, kPolicies[i])) << kPolicies[i];
  EXPECT_EQ(count.states, static_cast<int>(source.size()) + 1);  // end of sentence included
}

TEST_F(SharedSource, IsNoneIfTheTargetLanguagesDiffer) {
  const std::vector<std::vector<int>> prefixes{{30}, {31, 32, 33}};
  const Shared shared = make_engine(prefixes);
  const std::vector<int> source = random_source();
  std::vector<SentenceId> ids;
  for (int target = 0; target < 2; ++target) {
    ids.push_back(*shared.engine->open(make_policy("wait-k:k=3")));
    shared.engine->translate_into(ids.back(), target);
    if (target > 0) shared.engine->share_source(ids.back(), ids.front());
  }
  for (const SentenceId id : ids) {
    shared.engine->read(id, source);
    shared.engine->finish(id);
  }
  std::vector<Write> writes;
  while (shared.engine->tick(writes)) {
  }
  std::map<SentenceId, std::vector<Token>> written;
  for (const Write& write : writes) written[write.sentence].push_back({write.token, write.read});
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(written[ids[i]], alone(source, "wait-k:k=3", prefixes[i])) << i;
}

// tick() reports a free slot, though no sentence was closed in that tick.
TEST_F(SharedSource, TellsOfASlotThatBecameFree) {
  const Shared shared = make_engine();
  const std::vector<int> source = {5, 6, 7};
  const SentenceId leader = *shared.engine->open(make_policy("full-sentence"));
  const SentenceId follower = *shared.engine->open(make_policy("full-sentence"));
  shared.engine->share_source(follower, leader);
  std::vector<Write> writes;
  EXPECT_FALSE(shared.engine->tick(writes));
  shared.engine->close(leader);
  shared.engine->read(follower, source);  // tokens that the leader lacks
  EXPECT_TRUE(shared.engine->tick(writes));
  EXPECT_FALSE(shared.engine->tick(writes));
}

// Tokens arrive at random ticks, sentences end early, and one in three has a different source.
TEST_F(SharedSource, ChangesNothingThatIsWritten) {
  struct Open {
    SentenceId id;
    std::vector<int> source;
    std::string policy;
    std::size_t sent = 0;
    bool finished = false;
    bool given_up = false;
    std::vector<Token> written = {};
  };
  const Shared shared = make_engine();
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    std::vector<Open> open;
    const std::vector<int> common = random_source();
    for (int i = 0; i < 4; ++i) {
      std::vector<int> source = common;
      if (random_() % 3 == 0) {
        source.resize(1 + random_() % source.size());
        const std::vector<int> rest = random_source();
        source.insert(source.end(), rest.begin(), rest.end());
        source.resize(std::min<std::size_t>(source.size(), kMaxSource));
      }
      const std::string& policy = kPolicies[random_() % kPolicies.size()];
      const std::optional<SentenceId> id = shared.engine->open(make_policy(policy));
      ASSERT_TRUE(id.has_value()) << "a slot was lost";
      if (!open.empty()) shared.engine->share_source(*id, open[random_() % open.size()].id);
      open.push_back({*id, std::move(source), policy});
    }
    const auto busy = [](const Open& one) { return !one.given_up; };
    while (std::any_of(open.begin(), open.end(), busy)) {
      for (Open& one : open) {
        if (one.given_up || one.finished) continue;
        for (auto tokens = random_() % 4; tokens > 0 && one.sent < one.source.size(); --tokens)
          shared.engine->read(one.id, std::span(&one.source[one.sent++], 1));
        if (one.sent == one.source.size() && random_() % 2 == 0) {
          shared.engine->finish(one.id);
          one.finished = true;
        } else if (random_() % 40 == 0) {
          shared.engine->close(one.id);
          one.given_up = true;
        }
      }
      std::vector<Write> writes;
      shared.engine->tick(writes);
      for (const Write& write : writes) {
        const auto one = std::find_if(open.begin(), open.end(), [&](const Open& it) {
          return !it.given_up && it.id == write.sentence;
        });
        ASSERT_NE(one, open.end());
        one->written.push_back({write.token, write.read});
        if (write.end) {
          EXPECT_EQ(one->written, alone(one->source, one->policy)) << one->policy;
          shared.engine->close(one->id);
          one->given_up = true;
        }
      }
    }
  }
  std::vector<SentenceId> ids;
  while (const auto id = shared.engine->open(make_policy("full-sentence"))) ids.push_back(*id);
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kSlots));
}

}  // namespace
}  // namespace surtitle
