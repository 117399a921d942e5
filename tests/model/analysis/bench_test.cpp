#include "model/analysis/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "model/analysis/bench_cost.h"
#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "tests/model/support/test_files.h"
#include "tests/model/support/zero_package.h"

namespace surtitle {
namespace {

constexpr double kSeconds = 1e-4;

void expect_times(const WorkTimes& work) {
  ASSERT_EQ(work.batches.size(), kBenchBatches.size() - 1) << "1000 is the CPU's largest";
  for (std::size_t i = 0; i < work.batches.size(); ++i) {
    EXPECT_EQ(work.batches[i].batch, kBenchBatches[i]);
    EXPECT_GT(work.batches[i].time.least, 0);
    EXPECT_GE(work.batches[i].time.median, work.batches[i].time.least);
  }
  ASSERT_EQ(work.growth.size(), kBenchStageBatches.size());
  for (const auto& growth : work.growth) {
    EXPECT_GT(growth.brief.least, 0);
    EXPECT_GT(growth.grown.least, 0);
  }
  ASSERT_EQ(work.stages.size(), kBenchStageBatches.size());
  for (const auto& stages : work.stages)
    EXPECT_NEAR(std::accumulate(stages.shares.begin(), stages.shares.end(), 0.0), 1, 1e-9);
}

TEST(Bench, MeasuresEveryBatchStageAndLength) {
  const TemporaryFolder folder;
  const ZeroPackage zeros;
  zeros.write(folder.path());
  const Package package = open_package(folder.path());
  const TranslatorOptions room = bench_room({}, /*cuda=*/false);
  CpuInference inference(package, {.precision = Precision::kFloat32,
                                   .threads = 2,
                                   .slots = room.max_sentences,
                                   .source_positions = source_positions(room.max_source_tokens),
                                   .target_positions = target_positions(room.max_source_tokens)});
  const BenchTimes times = measure(inference, package.description.architecture, kSeconds);
  expect_times(times.decode);
  expect_times(times.encode);
  const auto share = [](const WorkTimes& work, Stage stage) {
    return work.stages.front().shares[static_cast<std::size_t>(stage)];
  };
  for (const auto stage :
       {Stage::kEmbedding, Stage::kNorm, Stage::kSelfMatrices, Stage::kSelfAttention,
        Stage::kCrossMatrices, Stage::kCrossAttention, Stage::kFeedForward}) {
    EXPECT_GT(share(times.decode, stage), 0) << static_cast<int>(stage);
    EXPECT_GT(share(times.encode, stage), 0) << static_cast<int>(stage);
  }
  for (const auto stage : {Stage::kAlignment, Stage::kOutput}) {
    EXPECT_GT(share(times.decode, stage), 0) << static_cast<int>(stage);
    EXPECT_EQ(share(times.encode, stage), 0) << static_cast<int>(stage);
  }
  EXPECT_GT(times.resident_bytes.value_or(1), 0);
}

TEST(Bench, CountsAModelsMatrices) {
  const ModelConfig config{.d_model = 8,
                           .heads = 2,
                           .ffn = 12,
                           .encoder_layers = 2,
                           .decoder_layers = 1,
                           .source_vocabulary = 50,
                           .target_vocabulary = 40,
                           .shared_embeddings = false};
  constexpr double kLayer = 4 * 64 + 2 * 8 * 12;
  const ModelCost floats = cost_of(config, Precision::kFloat32, 10);
  constexpr double kDecode = kLayer + 2 * 64 + 64 + 40 * 8;  // wp the second 64
  EXPECT_EQ(floats.decode.float_operations, 2 * kDecode);
  EXPECT_EQ(floats.decode.byte_operations, 0);
  EXPECT_EQ(floats.decode.weight_bytes, 4 * kDecode);
  EXPECT_EQ(floats.encode.float_operations, 2 * (2 * kLayer + 2 * 64));
  EXPECT_EQ(floats.table_bytes, 4 * 8 * (50 + 40));
  EXPECT_EQ(floats.encode.cached_bytes, 10 * 2 * 2 * 8 * 4);
  EXPECT_EQ(floats.decode.cached_bytes, 10 * 2 * 2 * 8 * 4);
  EXPECT_EQ(sentence_bytes(config, Precision::kFloat32, 10, 5), 2 * 8 * 4 * (10 * 3 + 5));

  const ModelCost halves = cost_of(config, Precision::kHalf, 10);
  EXPECT_EQ(halves.decode.float_operations, 2 * kDecode);
  EXPECT_EQ(halves.decode.weight_bytes, 2 * kDecode);
  EXPECT_EQ(halves.decode.cached_bytes, floats.decode.cached_bytes / 2);

  const ModelCost bytes = cost_of(config, Precision::kInt8, 10);
  EXPECT_EQ(bytes.decode.byte_operations, 2 * kDecode);
  EXPECT_EQ(bytes.decode.float_operations, 0);
  EXPECT_GT(bytes.decode.weight_bytes, kDecode);
  EXPECT_EQ(bytes.encode.float_operations, 0);
}

}  // namespace
}  // namespace surtitle
