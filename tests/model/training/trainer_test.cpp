// Whole trainings through train(), on a model that learns in a second.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "model/engine/offline.h"
#include "model/engine/translator.h"
#include "model/package/package.h"
#include "model/training/checkpoint.h"
#include "model/training/train.h"
#include "policies/registry.h"
#include "tests/model/support/tiny_training.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TrainRequest resume(const std::filesystem::path& checkpoint) {
  TrainRequest request;
  request.resume = checkpoint;
  return request;
}

TrainRequest begin_with(const std::filesystem::path& package) {
  TrainRequest request;
  request.init_from = package;
  return request;
}

class Training : public testing::Test, public TinyTraining {
 protected:
  // Trains on one thread, with the request's other fields.
  TrainEnd train(const std::string& run, TrainRequest request = {}) const {
    request.recipe = recipe;
    request.output = folder(run);
    request.device = "cpu";
    request.threads = 1;
    return surtitle::train(request);
  }

  // Trains and returns the reports of checkpoints, in order.
  std::vector<TrainProgress> train_and_watch(const std::string& run, TrainRequest request = {}) {
    std::vector<TrainProgress> seen;
    request.progress = [&](const TrainProgress& progress) {
      if (!progress.checkpoint.empty()) seen.push_back(progress);
    };
    end_ = train(run, std::move(request));
    return seen;
  }

  // Trains until a checkpoint of `updates` has been written.
  void train_until(const std::string& run, std::int64_t updates, TrainRequest request = {}) {
    std::atomic<bool> stop = false;
    request.stop = &stop;
    request.progress = [&](const TrainProgress& progress) {
      if (progress.update == updates) stop = true;
    };
    ASSERT_EQ(train(run, std::move(request)), TrainEnd::kStopped);
  }

  // Writes the initial weights of a training.
  void train_no_update(const std::string& run, TrainRequest request = {}) {
    const std::atomic<bool> stop = true;
    request.stop = &stop;
    ASSERT_EQ(train(run, std::move(request)), TrainEnd::kStopped);
  }

  std::string error(const std::string& run, const TrainRequest& request = {}) const {
    return error_of([&] { train(run, request); });
  }

  std::vector<std::string> checkpoints(const std::string& run) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder(run)))
      if (entry.path().filename().string().starts_with("checkpoint-"))
        names.push_back(entry.path().stem());
    std::sort(names.begin(), names.end());
    return names;
  }

  torch::Tensor values(const std::string& run, int updates) const {
    return read_checkpoint_values(checkpoint(run, updates));
  }

  // Returns the package's weights in the order of a checkpoint's values.
  torch::Tensor package_values(const std::string& run) const {
    const auto package = open_package(folder(run) / "package");
    Transformer model(package.description.architecture);
    load_weights(model, package.weights);
    std::vector<torch::Tensor> parts;
    for (const auto& [name, weight] : named_weights(model)) parts.push_back(weight.flatten());
    return torch::cat(parts);
  }

  TrainEnd end_ = TrainEnd::kStopped;
};

struct CopyTask {
  CrossAttentions attention;
  std::vector<std::string> policies;
  std::string dev_policy;
  std::vector<std::string> names;
};

void PrintTo(const CopyTask& task, std::ostream* out) { *out << task.dev_policy; }

class LearnsToCopy : public Training, public testing::WithParamInterface<CopyTask> {};

TEST_P(LearnsToCopy, AndItsPackageTranslatesWhatItNeverSaw) {
  recipe.architecture.d_model = 32;
  recipe.architecture.ffn = 64;
  recipe.architecture.cross_attention = GetParam().attention;
  recipe.default_policy = GetParam().dev_policy;
  recipe.training.policies = GetParam().policies;
  recipe.training.batch_tokens = 600;
  recipe.training.learning_rate = 0.02;
  recipe.training.max_updates = 320;
  recipe.training.cooldown_updates = 120;
  recipe.training.label_smoothing = 0;
  recipe.training.checkpoint_updates = 80;
  recipe.training.dropout = 0;
  const auto seen = train_and_watch("run");
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(end_, TrainEnd::kLastUpdate);
  EXPECT_LT(seen.back().loss, 0.7 * seen.front().loss);
  EXPECT_LT(*seen.back().dev_perplexity, 1.5);

  const auto package = folder("run") / "package";
  const auto translator = load_translator(package, {.device = "cpu", .threads = 1});
  const Tokenizers tokenizers(load_tokenizer(package / "sentencepiece.model"));
  const auto sources = copy_sentences(40, 3);
  const auto translations = translate_offline(std::span(&translator, 1), tokenizers, sources,
                                              make_policy(recipe.default_policy));
  std::size_t copied = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) copied += translations[i].text == sources[i];
  EXPECT_GE(copied, 24U) << "of 40 sentences";
  EXPECT_EQ(translator->info().policies, GetParam().names);
}

INSTANTIATE_TEST_SUITE_P(
    Both, LearnsToCopy,
    testing::Values(CopyTask{{GmaOptions()}, {"gma:delta=0.5..3"}, "gma:delta=3", {"gma"}},
                    CopyTask{{DotProductOptions()},
                             {"wait-k:k=1..4", "full-sentence"},
                             "wait-k:k=3",
                             {"wait-k", "full-sentence"}},
                    CopyTask{{MmaOptions()}, {"mma"}, "mma", {"mma"}}),
    [](const auto& tested) {
      const auto& name = tested.param.names.front();
      return name == "gma" ? "Gma" : name == "mma" ? "Mma" : "MultiPath";
    });

// Returns the mean number of source tokens that a package of monotonic heads has read at a write.
double mean_reads(const std::filesystem::path& package) {
  const auto translator = load_translator(package, {.device = "cpu", .threads = 1});
  const Tokenizers tokenizers(load_tokenizer(package / "sentencepiece.model"));
  int reads = 0;
  int tokens = 0;
  for (const auto& one : translate_offline(std::span(&translator, 1), tokenizers,
                                           copy_sentences(40, 3), make_policy("mma"))) {
    for (const int read : one.reads) reads += read;
    tokens += static_cast<int>(one.reads.size());
  }
  return static_cast<double>(reads) / tokens;
}

TEST_F(Training, LetsMonotonicHeadsStopSoonerWhereDelayCosts) {
  recipe.architecture.cross_attention = {MmaOptions()};
  recipe.default_policy = "mma";
  recipe.training.policies = {"mma"};
  recipe.training.max_updates = 200;
  recipe.training.learning_rate = 0.02;
  ASSERT_EQ(train("patient"), TrainEnd::kLastUpdate);
  recipe.training.latency.average = 1;
  ASSERT_EQ(train("hasty"), TrainEnd::kLastUpdate);
  EXPECT_LT(mean_reads(folder("hasty") / "package"), mean_reads(folder("patient") / "package") - 1);
}

TEST_F(Training, GoesOnFromACheckpointAsIfNeverStopped) {
  recipe.training.checkpoint_updates = 4;
  recipe.training.average = 3;
  ASSERT_EQ(train("whole"), TrainEnd::kLastUpdate);
  train_until("parts", 8);
  EXPECT_EQ(train("parts", resume(checkpoint("parts", 8))), TrainEnd::kLastUpdate);
  // Weights, optimiser, place in the data, best perplexity: the files are equal byte by byte.
  for (const int updates : {16, 20, 24})
    EXPECT_EQ(read_text(checkpoint("parts", updates)), read_text(checkpoint("whole", updates)));
  EXPECT_EQ(read_text(folder("parts") / "package/weights.safetensors"),
            read_text(folder("whole") / "package/weights.safetensors"));
  EXPECT_EQ(checkpoints("parts"),
            (std::vector<std::string>{"checkpoint-16", "checkpoint-20", "checkpoint-24"}));
}

TEST_F(Training, GoesOnFromAnyCheckpointInAnotherFolder) {
  recipe.training.checkpoint_updates = 4;
  recipe.training.average = 3;
  ASSERT_EQ(train("whole"), TrainEnd::kLastUpdate);
  // Also from the end of the first epoch's batches: the oldest and the newest checkpoint.
  ASSERT_EQ(train("oldest", resume(checkpoint("whole", 16))), TrainEnd::kLastUpdate);
  ASSERT_EQ(train("newest", resume(checkpoint("whole", 20))), TrainEnd::kLastUpdate);
  for (const char* run : {"oldest", "newest"}) {
    EXPECT_TRUE(torch::equal(values(run, 24), values("whole", 24))) << run;
    EXPECT_EQ(read_text(folder(run) / "sentencepiece.model"),
              read_text(folder("whole") / "sentencepiece.model"));
  }
  // The original run still has its checkpoints.
  EXPECT_THAT(checkpoints("whole"), ElementsAre("checkpoint-16", "checkpoint-20", "checkpoint-24"));
}

TEST_F(Training, GoesOnFromTheWeightsAndThePlaceOfAPackage) {
  recipe.training.checkpoint_updates = 4;
  recipe.training.average = 1;
  train_until("run", 8);
  std::vector<std::int64_t> updates;
  TrainRequest request = resume(folder("run") / "package");
  request.progress = [&](const TrainProgress& progress) { updates.push_back(progress.update); };
  const std::atomic<bool> stop = true;
  request.stop = &stop;
  ASSERT_EQ(train("other", request), TrainEnd::kStopped);
  EXPECT_THAT(updates, ElementsAre(8));
  EXPECT_TRUE(torch::equal(package_values("other"), package_values("run")));
  ASSERT_EQ(train("other", resume(folder("run") / "package")), TrainEnd::kLastUpdate);
  recipe.architecture.heads = 4;
  EXPECT_THAT(error("third", resume(folder("run") / "package")),
              HasSubstr("the package's architecture differs from the recipe's"));
}

TEST_F(Training, NeverRemovesACheckpointThatSomebodyRenamed) {
  recipe.training.checkpoint_updates = 4;
  train_until("run", 8);
  const auto renamed = folder("run") / "good.safetensors";
  std::filesystem::rename(checkpoint("run", 8), renamed);
  ASSERT_EQ(train("run", resume(renamed)), TrainEnd::kLastUpdate);
  EXPECT_TRUE(std::filesystem::exists(renamed));
  EXPECT_THAT(checkpoints("run"), ElementsAre("checkpoint-20", "checkpoint-24"));
}

TEST_F(Training, WritesACheckpointWhenStopped) {
  train_no_update("run");
  EXPECT_THAT(checkpoints("run"), ElementsAre("checkpoint-0"));
  EXPECT_EQ(open_package(folder("run") / "package").description.name, "copy");
  ASSERT_EQ(train("run", resume(checkpoint("run", 0))), TrainEnd::kLastUpdate);
  ASSERT_EQ(train("other"), TrainEnd::kLastUpdate);
  EXPECT_TRUE(torch::equal(values("run", 24), values("other", 24)));
}

TEST_F(Training, GivesOtherWeightsForAnotherSeed) {
  ASSERT_EQ(train("one"), TrainEnd::kLastUpdate);
  recipe.training.seed = 2;
  ASSERT_EQ(train("two"), TrainEnd::kLastUpdate);
  EXPECT_FALSE(torch::equal(values("one", 24), values("two", 24)));
}

TEST_F(Training, PacksTheMeanOfTheLastCheckpoints) {
  recipe.training.checkpoint_updates = 4;
  recipe.training.average = 3;
  ASSERT_EQ(train("run"), TrainEnd::kLastUpdate);
  EXPECT_THAT(checkpoints("run"), ElementsAre("checkpoint-16", "checkpoint-20", "checkpoint-24"));
  const auto mean =
      (values("run", 16).to(torch::kDouble) + values("run", 20) + values("run", 24)) / 3;
  EXPECT_TRUE(torch::equal(package_values("run"), mean.to(torch::kHalf).to(torch::kFloat)));
}

TEST_F(Training, PacksTheLastWeightsOfACoolDown) {
  recipe.training.checkpoint_updates = 4;
  recipe.training.cooldown_updates = 6;
  const auto seen = train_and_watch("run");
  EXPECT_TRUE(
      torch::equal(package_values("run"), values("run", 24).to(torch::kHalf).to(torch::kFloat)));
  EXPECT_EQ(seen.back().learning_rate, 0);
  // A requested cool-down is a branch of a run.
  auto cool_down = resume(checkpoint("run", 20));
  cool_down.cooldown = 8;
  const auto branch = train_and_watch("branch", cool_down);
  EXPECT_EQ(branch.back().update, 28);
  EXPECT_EQ(branch.back().learning_rate, 0);
  EXPECT_TRUE(torch::equal(package_values("branch"),
                           values("branch", 28).to(torch::kHalf).to(torch::kFloat)));
}

TEST_F(Training, WarmsUpAndThenFollowsTheInverseSquareRoot) {
  recipe.training.warmup_updates = 4;
  recipe.training.learning_rate = 0.01;
  recipe.training.max_updates = 16;
  recipe.training.checkpoint_updates = 1;
  const auto seen = train_and_watch("run");
  ASSERT_EQ(seen.size(), 16U);
  EXPECT_NEAR(seen[0].learning_rate, 0.0025, 1e-9);
  EXPECT_NEAR(seen[3].learning_rate, 0.01, 1e-9);
  EXPECT_NEAR(seen[8].learning_rate, 0.01 * 2 / 3, 1e-9);
  EXPECT_NEAR(seen[15].learning_rate, 0.005, 1e-9);
}

TEST_F(Training, EndsWhenDevPerplexityNoLongerFalls) {
  recipe.training.learning_rate = 0;  // so perplexity never falls
  recipe.training.checkpoint_updates = 2;
  recipe.training.patience = 3;
  const auto seen = train_and_watch("run");
  EXPECT_EQ(end_, TrainEnd::kNoImprovement);
  EXPECT_EQ(seen.back().update, 8);
  // Counts from before a stop are restored.
  train_until("parts", 4);
  const auto rest = train_and_watch("parts", resume(checkpoint("parts", 4)));
  EXPECT_EQ(end_, TrainEnd::kNoImprovement);
  EXPECT_EQ(rest.back().update, 8);
}

TEST_F(Training, CoolsDownWhenDevPerplexityNoLongerFalls) {
  recipe.training.learning_rate = 0;
  recipe.training.checkpoint_updates = 2;
  recipe.training.patience = 3;
  recipe.training.cooldown_updates = 6;
  const auto seen = train_and_watch("run");
  EXPECT_EQ(end_, TrainEnd::kLastUpdate);
  EXPECT_EQ(seen.back().update, 14);
  train_until("parts", 10);
  const auto rest = train_and_watch("parts", resume(checkpoint("parts", 10)));
  EXPECT_EQ(end_, TrainEnd::kLastUpdate);
  EXPECT_EQ(rest.back().update, 14);
}

TEST_F(Training, ReportsSpeedAndDevScores) {
  recipe.training.checkpoint_updates = 12;
  std::vector<std::filesystem::path> scored;
  TrainRequest request;
  request.evaluate = [&](const std::filesystem::path& package) {
    scored.push_back(package);
    open_package(package);
    return DevScore{.bleu = 10.0 + static_cast<double>(scored.size()), .average_lagging = 2};
  };
  const auto seen = train_and_watch("run", request);
  EXPECT_THAT(scored, ElementsAre(folder("run") / "package", folder("run") / "package"));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].checkpoint, checkpoint("run", 12));
  EXPECT_EQ(seen[0].max_updates, 24);
  EXPECT_EQ(seen[0].dev_score->bleu, 11);
  EXPECT_EQ(seen[1].dev_score->bleu, 12);
  EXPECT_GT(seen[0].tokens_per_second, 0);
  EXPECT_GT(seen[0].seconds_left, 0);
  EXPECT_EQ(seen[1].seconds_left, 0);
  EXPECT_GT(seen[0].loss, seen[1].loss);
  EXPECT_GT(*seen[0].dev_perplexity, *seen[1].dev_perplexity);
}

TEST_F(Training, BeginsWithAPackagesWeightsAndTokenizer) {
  ASSERT_EQ(train("first"), TrainEnd::kLastUpdate);
  // Different text, which would give a different vocabulary.
  const auto& text = recipe.train.front();
  for (const auto& file : {text.source, text.target})
    write_text(file, read_text(file) + "ganz anderer Text mit neuen Buchstaben\n");
  train_no_update("second", begin_with(folder("first") / "package"));
  EXPECT_TRUE(torch::equal(values("second", 0), package_values("first")));
  EXPECT_EQ(read_text(folder("second") / "sentencepiece.model"),
            read_text(folder("first") / "sentencepiece.model"));
}

TEST_F(Training, BeginsWithAModelOfAnotherCrossAttention) {
  ASSERT_EQ(train("gma"), TrainEnd::kLastUpdate);
  recipe.architecture.cross_attention = {DotProductOptions()};
  recipe.default_policy = "wait-k:k=2";
  recipe.training.policies = {"wait-k:k=1..9", "full-sentence"};
  train_no_update("plain", begin_with(folder("gma") / "package"));
  const auto before = open_package(folder("gma") / "package");
  const auto after = open_package(folder("plain") / "package");
  for (const auto& expected : expected_tensors(recipe.architecture)) {
    const auto a = before.weights.find(expected.name)->data;
    const auto b = after.weights.find(expected.name)->data;
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size()), 0) << expected.name;
  }
}

TEST_F(Training, BeginsAnewWhatAnotherCrossAttentionLacks) {
  train_no_update("gma");
  // GMA for each head has a vp of a different shape, and a mixture has none of GMA's tensors.
  GmaOptions of_heads;
  of_heads.shared_by = GmaOptions::SharedBy::kNone;
  for (const CrossAttention& other :
       {CrossAttention(of_heads), CrossAttention(GaussianMixtureOptions())}) {
    recipe.architecture.cross_attention = {other};
    const auto run = "other" + std::to_string(other.index());
    train_no_update(run, begin_with(folder("gma") / "package"));
    const auto before = open_package(folder("gma") / "package");
    const auto after = open_package(folder(run) / "package");
    for (const auto& expected : expected_tensors(recipe.architecture)) {
      const auto* old = before.weights.find(expected.name);
      if (!old || old->shape != expected.shape) continue;
      EXPECT_TRUE(std::ranges::equal(old->data, after.weights.find(expected.name)->data))
          << expected.name;
    }
  }
}

TEST_F(Training, RefusesToBeginWithAnotherArchitecture) {
  train_no_update("first");
  const auto package = folder("first") / "package";
  recipe.architecture.heads = 4;
  recipe.architecture.norm = Norm::kPost;
  EXPECT_EQ(error("second", begin_with(package)),
            package.string() +
                ": 'heads' is 2 in the package and 4 in the recipe, 'norm' is pre in the package "
                "and post in the recipe; all fields but cross_attention must be equal, and may be "
                "left out of the recipe");
  EXPECT_FALSE(std::filesystem::exists(folder("second")));
}

TEST_F(Training, RefusesToOverwriteARun) {
  train_no_update("first");
  train_no_update("second");
  const auto before = read_text(checkpoint("second", 0));
  EXPECT_EQ(error("second", begin_with(folder("first") / "package")),
            folder("second").string() +
                " has a run, which --init-from would overwrite; allowed: --resume to continue it, "
                "or another --output");
  EXPECT_EQ(read_text(checkpoint("second", 0)), before);
}

TEST_F(Training, RefusesACheckpointOfAnotherArchitecture) {
  train_no_update("run");
  recipe.architecture.heads = 4;
  EXPECT_THAT(error("run", resume(checkpoint("run", 0))),
              HasSubstr("found 'heads: 2', the recipe has 'heads: 4'"));
}

TEST_F(Training, RefusesACheckpointCutShort) {
  train_no_update("run");
  const auto file = checkpoint("run", 0);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THAT(error("run", resume(file)), HasSubstr(file.string() + ": tensor '"));
  EXPECT_THAT(error("run", resume(folder("run") / "none")), HasSubstr("none: cannot be read"));
}

TEST_F(Training, RefusesAFolderWithAnotherVocabulary) {
  train_no_update("run");
  recipe.architecture.source_vocabulary = recipe.architecture.target_vocabulary =
      kCopyVocabulary - 1;
  EXPECT_EQ(error("run"),
            (folder("run") / "sentencepiece.model").string() + ": found " +
                std::to_string(kCopyVocabulary) + " pieces, the recipe's vocabulary is " +
                std::to_string(kCopyVocabulary - 1) + "; start in a different folder");
}

TEST_F(Training, NamesWhatIsWrongWithItsText) {
  const auto& text = recipe.train.front();
  const auto good = read_text(text.target);
  write_text(text.target, good + "eins mehr\n");
  EXPECT_EQ(error("run"), text.source.string() + " has 2000 lines, " + text.target.string() +
                              " has 2001; they must be equal");
  write_text(text.target, "gut\n\xff\xfe\n");
  EXPECT_EQ(error("run"), text.target.string() + ":2: not UTF-8");
  std::filesystem::remove(text.target);
  EXPECT_EQ(error("run"), text.target.string() + ": cannot be read");
  write_text(text.target, good);

  recipe.training.max_tokens = 1;
  EXPECT_EQ(error("run"), "recipe copy: no sentence pair to train on");
  recipe.training.max_tokens = 100;
  for (const auto& file : {recipe.dev[0].source, recipe.dev[0].target}) write_text(file, "\n");
  EXPECT_EQ(error("run"), "recipe copy: no sentence pair to score on");
  for (const auto& file : {text.source, text.target}) write_text(file, "");
  EXPECT_THAT(error("empty"), HasSubstr("there must be at least one line of text to learn from"));
  write_text(text.source, "a\n");
  write_text(text.target, "b\n");
  EXPECT_THAT(error("small"), HasSubstr("Vocabulary size too high"));
}

}  // namespace
}  // namespace surtitle
