// Watched sentences: the probability that each word begins a sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "policies/registry.h"
#include "tests/model/support/random_package.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using Words = std::vector<std::vector<int>>;

constexpr int kSlots = 4;
constexpr int kMaxSource = 40;

class WatchedSentence : public testing::Test {
 protected:
  static ModelConfig config() {
    return {.d_model = 16,
            .heads = 2,
            .ffn = 32,
            .encoder_layers = 2,
            .decoder_layers = 1,
            .source_vocabulary = 12,
            .target_vocabulary = 12,
            .cross_attention = {DotProductOptions()},
            .sentence_starts = true};
  }

  std::unique_ptr<CpuInference> inference() const {
    return std::make_unique<CpuInference>(
        package_, CpuInference::Options{.precision = Precision::kFloat32,
                                        .slots = kSlots,
                                        .source_positions = source_positions(kMaxSource),
                                        .target_positions = target_positions(kMaxSource)});
  }

  Engine engine() const {
    return {package_.description,
            {.max_sentences = kSlots, .max_source_tokens = kMaxSource},
            inference()};
  }

  Words words() {
    Words words(3 + random_() % 6);
    for (auto& word : words)
      for (auto left = 1 + random_() % 4; left > 0; --left)
        word.push_back(4 + static_cast<int>(random_() % 8));
    return words;
  }

  TemporaryFolder folder_;
  Package package_ = random_package(config(), folder_.path());
  std::mt19937 random_{1};
};

TEST_F(WatchedSentence, ReportsTheClassifierAtTheLastTokenOfEachWord) {
  auto engine = this->engine();
  ASSERT_TRUE(engine.info().watches_starts);
  const auto id = *engine.open(make_policy("full-sentence"));
  engine.watch_starts(id);
  const Words sent = words();
  std::vector<int> all;
  std::vector<Write> writes;
  for (const auto& word : sent) {
    engine.read(id, word);
    all.insert(all.end(), word.begin(), word.end());
    while (engine.tick(writes)) {
    }
  }
  const auto reference = inference();
  reference->open(0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const SourceToken token{.slot = 0, .position = static_cast<int>(i), .token = all[i]};
    reference->encode(std::span(&token, 1));
  }
  ASSERT_EQ(writes.size(), sent.size());
  int read = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    read += static_cast<int>(sent[i].size());
    EXPECT_EQ(writes[i].read, read);
    EXPECT_FALSE(writes[i].end);
    ASSERT_TRUE(writes[i].start.has_value());
    EXPECT_FLOAT_EQ(*writes[i].start,
                    reference->probability(StateClassifier::kSentenceStart, 0, read - 1));
  }
  engine.finish(id);
  engine.tick(writes);
  EXPECT_TRUE(writes.back().end);
  EXPECT_EQ(writes.size(), sent.size() + 1);
}

TEST_F(WatchedSentence, DoesNotDependOnTimingOrBatch) {
  const auto run = [&](const std::vector<Words>& sentences, std::size_t at_once) {
    auto engine = this->engine();
    std::map<SentenceId, std::vector<float>> starts;
    std::vector<std::vector<float>> result;
    for (std::size_t first = 0; first < sentences.size(); first += at_once) {
      std::map<SentenceId, std::size_t> sent;  // words
      std::vector<SentenceId> ids;
      for (std::size_t i = 0; i < at_once; ++i) {
        ids.push_back(*engine.open(make_policy("full-sentence")));
        engine.watch_starts(ids.back());
      }
      std::vector<Write> writes;
      for (bool left = true; left;) {
        left = false;
        for (std::size_t i = 0; i < at_once; ++i) {
          const auto& words = sentences[first + i];
          auto& at = sent[ids[i]];
          for (auto count = random_() % 3; count > 0 && at < words.size(); --count)
            engine.read(ids[i], words[at++]);
          left = left || at < words.size();
        }
        engine.tick(writes);
      }
      while (engine.tick(writes)) {
      }
      starts.clear();
      for (const auto& write : writes) starts[write.sentence].push_back(*write.start);
      for (const auto id : ids) {
        result.push_back(starts[id]);
        engine.close(id);
      }
    }
    return result;
  };
  std::vector<Words> sentences(8);
  for (auto& sentence : sentences) sentence = words();
  EXPECT_EQ(run(sentences, 4), run(sentences, 1));
}

// A translation shares the source of the watch, which reads ahead of it, and ends before it.
TEST_F(WatchedSentence, SharesItsSourceWithATranslationThatEndsEarlier) {
  for (int round = 0; round < 50; ++round) {
    const Words sent = words();
    const auto translated = random_() % (sent.size() + 1);  // words before the end
    const auto run = [&](bool shared) {
      auto engine = this->engine();
      const auto watch = *engine.open(make_policy("full-sentence"));
      engine.watch_starts(watch);
      engine.read(watch, sent[0]);
      const auto id = *engine.open(make_policy("wait-k:k=1"));
      if (shared) engine.share_source(id, watch);
      std::vector<Write> writes;
      for (std::size_t i = 0; i < sent.size(); ++i) {
        if (i > 0) engine.read(watch, sent[i]);
        if (random_() % 2 == 0) engine.tick(writes);
        if (i < translated) engine.read(id, sent[i]);
      }
      if (random_() % 2 == 0) engine.close(watch);
      engine.finish(id);
      while (engine.tick(writes)) {
      }
      std::vector<int> tokens;
      for (const auto& write : writes)
        if (write.sentence == id && !write.end) tokens.push_back(write.token);
      return tokens;
    };
    EXPECT_EQ(run(true), run(false));
  }
}

TEST_F(WatchedSentence, IsNotSupportedWithoutTheClassifier) {
  auto plain = config();
  plain.sentence_starts = false;
  TemporaryFolder folder;
  package_ = random_package(plain, folder.path());
  EXPECT_FALSE(engine().info().watches_starts);
}

}  // namespace
}  // namespace surtitle
