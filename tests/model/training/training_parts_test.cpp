// Compares the parts of training with plain formulas and with LibTorch's own functions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <random>
#include <set>

#include "model/torch/dropout.h"
#include "model/torch/linear.h"
#include "model/training/checkpoint.h"
#include "model/training/corpus.h"
#include "model/training/flat_parameters.h"
#include "model/training/loss.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return (a - b).abs().max().item<double>();
}

// The loss of model/training/loss.h in LibTorch's operations.
torch::Tensor plain_loss(const torch::Tensor& states, const OutputProjection& output,
                         const torch::Tensor& targets, double smoothing) {
  const auto log_p = torch::log_softmax(torch::linear(states, output.embedding, output.bias), 1);
  const auto chosen = log_p.gather(1, targets.unsqueeze(1)).squeeze(1);
  return (-(1 - smoothing) * chosen - smoothing * log_p.mean(1)).mean();
}

TEST(LabelSmoothedLoss, EqualsThePlainFormulaWithItsGradient) {
  torch::manual_seed(3);
  std::mt19937 random(3);
  // The last shapes cross the boundary of 512 rows.
  const std::vector<std::int64_t> row_counts = {1, 2, 7, 40, 511, 512, 513, 1300};
  for (const auto rows : row_counts) {
    const auto vocabulary = static_cast<std::int64_t>(2 + random() % 60);
    const auto width = static_cast<std::int64_t>(1 + random() % 24);
    const double smoothing = rows % 2 == 0 ? 0.1 : static_cast<double>(random() % 90) / 100;
    SCOPED_TRACE(std::to_string(rows) + " rows, vocabulary " + std::to_string(vocabulary));
    const auto states = torch::randn({rows, width}).requires_grad_();
    const auto embedding = torch::randn({vocabulary, width}).requires_grad_();
    const auto targets = torch::randint(vocabulary, {rows}, torch::kLong);
    std::vector<torch::Tensor> inputs{states, embedding};
    OutputProjection output{embedding};
    if (random() % 2 == 0)
      inputs.push_back(output.bias = torch::randn(vocabulary).requires_grad_());

    const auto plain = plain_loss(states, output, targets, smoothing);
    // A factor after the loss must affect the gradient.
    const auto expected = torch::autograd::grad({3 * plain}, inputs);
    const auto loss = label_smoothed_loss(states, output, targets, smoothing, torch::kFloat);
    const auto found = torch::autograd::grad({3 * loss.smoothed}, inputs);

    EXPECT_NEAR(loss.smoothed.item<double>(), plain.item<double>(), 1e-5);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      EXPECT_LT(largest_difference(found[i], expected[i]), 1e-5);
    const double nll = plain_loss(states, output, targets, 0).item<double>();
    EXPECT_NEAR(loss.negative_log_likelihood / static_cast<double>(rows), nll, 1e-5);
  }
}

TEST(LabelSmoothedLoss, KeepsTheGradientOfBfloat16ProductsClose) {
  torch::manual_seed(4);
  const auto states = torch::randn({100, 16}).requires_grad_();
  const auto embedding = torch::randn({50, 16}).requires_grad_();
  const auto targets = torch::randint(50, {100}, torch::kLong);
  const auto plain = plain_loss(states, {embedding}, targets, 0.1);
  const auto expected = torch::autograd::grad({plain}, {states, embedding});
  const auto loss = label_smoothed_loss(states, {embedding}, targets, 0.1, torch::kBFloat16);
  const auto found = torch::autograd::grad({loss.smoothed}, {states, embedding});
  EXPECT_NEAR(loss.smoothed.item<double>(), plain.item<double>(), 0.02);
  for (const std::size_t i : {0U, 1U})
    EXPECT_LT((found[i] - expected[i]).norm().item<double>(),
              0.02 * expected[i].norm().item<double>());
}

TEST(LabelSmoothedLoss, NeedsNoGradientToScore) {
  const torch::NoGradGuard no_grad;
  const auto embedding = torch::eye(4).requires_grad_();
  const auto loss = label_smoothed_loss(torch::zeros({3, 4}), {embedding},
                                        torch::zeros({3}, torch::kLong), 0, torch::kFloat);
  EXPECT_FALSE(loss.smoothed.requires_grad());
  EXPECT_NEAR(loss.negative_log_likelihood, 3 * std::log(4.0), 1e-5);
}

class HashedDropout : public testing::TestWithParam<torch::ScalarType> {};

TEST_P(HashedDropout, DropsItsShareAndScalesTheRest) {
  seed_dropout(5);
  constexpr std::int64_t kElements = 400'000;
  for (const double probability : {0.1, 0.25, 0.5}) {
    const auto y = dropout(torch::ones({400, 1000}, GetParam()), probability).to(torch::kFloat);
    const auto dropped = (y == 0).sum().item<double>();
    const double deviation = std::sqrt(kElements * probability * (1 - probability));
    EXPECT_NEAR(dropped, kElements * probability, 5 * deviation);
    const auto kept = y.masked_select(y != 0);
    const double scale = torch::full({1}, 1 / (1 - probability), GetParam()).item<double>();
    EXPECT_EQ(kept.min().item<double>(), scale);
    EXPECT_EQ(kept.max().item<double>(), scale);
    // No row and no column is dropped as a whole.
    EXPECT_GT((y != 0).sum(0).min().item<double>(), 0);
    EXPECT_GT((y != 0).sum(1).min().item<double>(), 0);
  }
}

TEST_P(HashedDropout, GivesTheGradientTheSameMask) {
  torch::manual_seed(6);
  const auto x = torch::randn({30, 40}).to(GetParam()).requires_grad_();
  const auto y = dropout(x, 0.3);
  y.backward(torch::ones_like(y));
  EXPECT_TRUE(torch::equal(x.grad() == 0, y == 0));
  EXPECT_TRUE(torch::equal(x.grad() != 0, y != 0));
}

TEST_P(HashedDropout, FollowsTheSeed) {
  const auto x = torch::ones({50, 50}, GetParam());
  seed_dropout(7);
  const auto first = dropout(x, 0.5);
  const auto second = dropout(x, 0.5);
  seed_dropout(7);
  EXPECT_TRUE(torch::equal(first, dropout(x, 0.5)));
  EXPECT_TRUE(torch::equal(second, dropout(x, 0.5)));
  const auto agreement = (first == second).sum().item<double>() / 2500;
  EXPECT_NEAR(agreement, 0.5, 0.05);
}

TEST_P(HashedDropout, LeavesEverythingAtZero) {
  const auto x = torch::randn({5, 5}).to(GetParam());
  EXPECT_TRUE(torch::equal(dropout(x, 0), x));
}

TEST_P(HashedDropout, AddsWhatItKeeps) {
  torch::manual_seed(8);
  const auto x = torch::randn({20, 30}).to(GetParam()).requires_grad_();
  const auto y = torch::randn({20, 30}).to(GetParam()).requires_grad_();
  seed_dropout(9);
  const auto sum = add_dropped(x, y, 0.3);
  seed_dropout(9);
  const auto expected = x.to(torch::kFloat) + dropout(y.to(torch::kFloat), 0.3);
  EXPECT_LT(largest_difference(sum.to(torch::kFloat), expected),
            GetParam() == torch::kFloat ? 1e-5 : 0.05);
  sum.backward(torch::ones_like(sum));
  EXPECT_TRUE(torch::equal(x.grad(), torch::ones_like(x)));
  EXPECT_GT((y.grad() == 0).sum().item<double>(), 100);
}

INSTANTIATE_TEST_SUITE_P(Types, HashedDropout, testing::Values(torch::kFloat, torch::kBFloat16),
                         [](const auto& tested) { return std::string(toString(tested.param)); });

const ModelConfig kTiny = {.d_model = 8,
                           .heads = 2,
                           .ffn = 12,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .source_vocabulary = 9,
                           .target_vocabulary = 9};

// A loss whose gradient is nonzero for every parameter and different at each call.
torch::Tensor random_loss(const Transformer& model) {
  auto loss = torch::zeros({});
  for (const auto& parameter : model->parameters())
    loss = loss + (parameter * torch::randn_like(parameter)).sum();
  return loss;
}

TEST(FlatParameters, StepsAsLibtorchsAdamDoes) {
  torch::manual_seed(8);
  const Transformer ours(kTiny);
  const Transformer theirs(kTiny);
  {
    const torch::NoGradGuard no_grad;
    const auto from = ours->parameters();
    auto to = theirs->parameters();
    for (std::size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i]);
  }
  FlatParameters flat({ours}, torch::kCPU, {.beta2 = 0.98});
  torch::optim::Adam adam(
      theirs->parameters(),
      torch::optim::AdamOptions(1e-3).betas(std::make_tuple(0.9, 0.98)).eps(1e-9));
  for (int step = 1; step <= 6; ++step) {
    const double rate = 1e-3 * step;  // the rate changes at every update of a training
    for (auto& group : adam.param_groups())
      static_cast<torch::optim::AdamOptions&>(group.options()).lr(rate);
    const auto seed = static_cast<std::uint64_t>(100 + step);
    torch::manual_seed(seed);
    flat.zero_gradient();
    random_loss(ours).backward();
    torch::manual_seed(seed);
    adam.zero_grad();
    random_loss(theirs).backward();
    flat.step(rate);
    adam.step();
  }
  EXPECT_EQ(flat.updates(), 6);
  const auto a = named_weights(ours);
  const auto b = named_weights(theirs);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_LT(largest_difference(a[i].second, b[i].second), 1e-6) << a[i].first;
}

TEST(FlatParameters, ClipsTheNormOfTheWholeGradient) {
  torch::manual_seed(9);
  const Transformer model(kTiny);
  FlatParameters flat({model}, torch::kCPU, {});
  random_loss(model).backward();
  double squares = 0;
  for (const auto& parameter : model->parameters())
    squares += parameter.grad().square().sum().item<double>();
  const double norm = std::sqrt(squares);
  EXPECT_NEAR(flat.clip_gradient(2 * norm), norm, 1e-3);
  EXPECT_NEAR(flat.clip_gradient(0), norm, 1e-3);
  EXPECT_NEAR(flat.clip_gradient(0.5), norm, 1e-3);
  EXPECT_NEAR(flat.clip_gradient(0), 0.5, 1e-4);
}

TEST(FlatParameters, SumsTheGradientsOfItsReplicas) {
  torch::manual_seed(11);
  const Transformer first(kTiny);
  const Transformer second(kTiny);
  FlatParameters flat({first, second}, torch::kCPU, {});
  EXPECT_TRUE(torch::equal(first->parameters()[0], second->parameters()[0]));
  (3 * first->parameters()[0]).sum().backward();
  (4 * second->parameters()[0]).sum().backward();
  const auto count = static_cast<double>(first->parameters()[0].numel());
  EXPECT_NEAR(flat.clip_gradient(0), 7 * std::sqrt(count), 1e-3 * count);
  flat.step(1e-3);
  EXPECT_TRUE(torch::equal(first->parameters()[0], second->parameters()[0]));
}

TEST(FlatParameters, MovesMatricesOfLayersByMuonAlongAllTheirDirections) {
  torch::manual_seed(12);
  auto config = kTiny;
  config.d_model = 32;
  config.ffn = 48;
  const Transformer model(config);
  FlatParameters flat({model}, torch::kCPU, {.optimizer = Optimizer::kMuon});
  const auto before = flat.values().clone();
  random_loss(model).backward();
  flat.step(1e-3);
  std::int64_t offset = 0;
  for (const auto& [name, weight] : named_weights(model)) {
    const auto moved =
        flat.values().narrow(0, offset, weight.numel()) - before.narrow(0, offset, weight.numel());
    offset += weight.numel();
    if (!name.ends_with("fc1.weight")) continue;
    const auto values = std::get<1>(torch::svd(moved.view_as(weight)));
    const double scale = 1e-3 * 0.2 * std::sqrt(48.0);
    EXPECT_GT(values.min().item<double>(), 0.3 * scale) << name;
    EXPECT_LT(values.max().item<double>(), 1.3 * scale) << name;
  }
}

TEST(Linear, EqualsLibtorchsWithItsGradients) {
  torch::manual_seed(13);
  const auto x = torch::randn({3, 5, 16}).to(torch::kBFloat16).requires_grad_();
  const auto weight = torch::randn({24, 16}).requires_grad_();
  const auto bias = torch::randn({24}).requires_grad_();
  const auto found = linear(x, weight, bias);
  EXPECT_EQ(found.scalar_type(), torch::kBFloat16);
  const auto wide = x.detach().to(torch::kFloat).requires_grad_();
  const auto expected = torch::linear(wide, weight, bias);
  EXPECT_LT(largest_difference(found.to(torch::kFloat), expected), 0.1);
  const auto upstream = torch::randn({3, 5, 24}).to(torch::kBFloat16);
  const auto ours = torch::autograd::grad({found}, {x, weight, bias}, {upstream});
  const auto theirs =
      torch::autograd::grad({expected}, {wide, weight, bias}, {upstream.to(torch::kFloat)});
  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_LT((ours[i].to(torch::kFloat) - theirs[i]).norm().item<double>(),
              0.02 * theirs[i].norm().item<double>())
        << i;
  }
}

TEST(Checkpoint, ReadsBackWhatItWrites) {
  const TemporaryFolder folder;
  const auto file = checkpoint_file(folder.path(), 7);
  EXPECT_EQ(file.filename(), "checkpoint-7.safetensors");
  torch::manual_seed(10);
  const Transformer model(kTiny);
  FlatParameters written({model}, torch::kCPU, {});
  random_loss(model).backward();
  written.step(1e-3);
  const RunState state{.epoch = 3,
                       .next_batch = 14,
                       .best_dev_perplexity = 1.0 / 3,
                       .without_improvement = 2,
                       .early_cooldown = 9,
                       .earlier = {1, 5}};
  write_checkpoint(file, written, state);

  FlatParameters read({Transformer(kTiny)}, torch::kCPU, {});
  const auto found = read_checkpoint(file, read);
  EXPECT_TRUE(torch::equal(read.values(), written.values()));
  EXPECT_TRUE(torch::equal(read.first_moment(), written.first_moment()));
  EXPECT_TRUE(torch::equal(read.second_moment(), written.second_moment()));
  EXPECT_EQ(read.updates(), 1);
  EXPECT_EQ(found.epoch, 3);
  EXPECT_EQ(found.next_batch, 14);
  EXPECT_EQ(found.best_dev_perplexity, 1.0 / 3);
  EXPECT_EQ(found.without_improvement, 2);
  EXPECT_EQ(found.early_cooldown, 9);
  EXPECT_EQ(found.earlier, state.earlier);
}

TEST(Checkpoint, RefusesAnotherArchitecture) {
  const TemporaryFolder folder;
  const auto file = checkpoint_file(folder.path(), 0);
  write_checkpoint(file, FlatParameters({Transformer(kTiny)}, torch::kCPU, {}), {});
  const auto error_with = [&](const ModelConfig& config) {
    FlatParameters parameters({Transformer(config)}, torch::kCPU, {});
    return error_of([&] { read_checkpoint(file, parameters); });
  };
  auto config = kTiny;
  config.heads = 4;  // as many parameters as before
  EXPECT_EQ(error_with(config),
            file.string() +
                ": the checkpoint has a different architecture: found 'heads: 2', the recipe has "
                "'heads: 4'");
  config = kTiny;
  config.d_model = 10;
  EXPECT_THAT(error_with(config), HasSubstr("found 'd_model: 8', the recipe has 'd_model: 10'"));
  config = kTiny;
  config.tied_output = false;
  EXPECT_THAT(error_with(config), HasSubstr("found 'tied_output: true'"));
}

TEST(Checkpoint, NamesWhatIsNoCheckpoint) {
  const TemporaryFolder folder;
  const auto file = checkpoint_file(folder.path(), 0);
  FlatParameters parameters({Transformer(kTiny)}, torch::kCPU, {});
  write_checkpoint(file, parameters, {});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 4);
  EXPECT_THAT(error_of([&] { read_checkpoint(file, parameters); }),
              HasSubstr(file.string() + ": tensor 'second_moment': found bytes"));
  write_safetensors(file, {}, {});
  EXPECT_EQ(error_of([&] { read_checkpoint(file, parameters); }),
            file.string() +
                ": tensor 'values' is missing or not a flat F32; the file must be a checkpoint of "
                "training");
  std::filesystem::remove(file);
  EXPECT_THAT(error_of([&] { read_checkpoint(file, parameters); }), HasSubstr("cannot be read"));
}

std::vector<TokenPair> random_corpus(std::size_t pairs, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TokenPair> corpus(pairs);
  for (auto& pair : corpus) {
    pair.source.resize(1 + random() % 30);
    pair.target.resize(1 + random() % 30);
  }
  return corpus;
}

TEST(MakeBatches, TakesEveryPairOnceAndKeepsToItsTokens) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto corpus = random_corpus(1 + 37 * seed, seed);
    const int tokens = 40 + 20 * static_cast<int>(seed);
    std::vector<std::uint32_t> seen;
    for (const auto& batch : make_batches(corpus, tokens, seed, seed % 3)) {
      std::size_t longest = 0;
      for (const auto index : batch)
        longest =
            std::max({longest, corpus.at(index).source.size(), corpus.at(index).target.size() + 1});
      EXPECT_LE(longest * batch.size(), static_cast<std::size_t>(tokens));
      EXPECT_FALSE(batch.empty());
      seen.insert(seen.end(), batch.begin(), batch.end());
    }
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), corpus.size());
    for (std::uint32_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST(Corpus, DrawsEachLineByItsWeightInTheFormsOfItsShares) {
  const TemporaryFolder folder;
  const auto source = folder.path() / "a.de";
  const auto target = folder.path() / "a.en";
  std::string german;
  std::string english;
  for (int i = 0; i < 1000; ++i) {
    german += "Guten Tag!\n";
    english += "Good day!\n";
  }
  write_text(source, german);
  write_text(target, english);
  const auto count = [&](const ParallelText& text, std::uint64_t epoch) {
    std::map<std::string, int> counts;
    Corpus(std::vector{text}).draw(7, epoch, [&](const Corpus::Example& example) {
      ++counts[example.source];
      EXPECT_TRUE(example.target.starts_with("Good day!")) << example.source;
      EXPECT_TRUE(example.starts.empty());
    });
    return counts;
  };
  ParallelText text{source, target, 1.5, {{TextForm::kWritten, 3}, {TextForm::kSpoken, 1}}};
  const auto counts = count(text, 0);
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_NEAR(counts.at("Guten Tag!"), 1125, 120);
  EXPECT_NEAR(counts.at("guten tag"), 375, 80);
  EXPECT_EQ(counts, count(text, 0));
  EXPECT_NE(counts, count(text, 1));

  text.weight = 1;
  text.source_forms = {{TextForm::kWritten, 1}};
  text.joined = 0.4;
  const auto joined = count(text, 0);
  EXPECT_NEAR(joined.at("Guten Tag!"), 600, 80);
  EXPECT_NEAR(joined.at("Guten Tag! Guten Tag!"), 200, 60);
  EXPECT_NEAR(joined.at("Guten Tag! Guten Tag! Guten Tag!"), 200, 60);
}

TEST(Corpus, JoinsNoLinesOfTwoDocuments) {
  const TemporaryFolder folder;
  const auto source = folder.path() / "a.de";
  const auto target = folder.path() / "a.en";
  write_text(source, "Eins.\n\nZwei.\n");
  write_text(target, "One.\n\nTwo.\n");
  const ParallelText text{source, target, 1, {{TextForm::kWritten, 1}}, 1};
  std::vector<std::string> seen;
  Corpus(std::vector{text}).draw(1, 0, [&](const Corpus::Example& example) {
    seen.push_back(example.source);
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"Eins.", "Zwei."}));
}

TEST(Corpus, LabelsStartsOfSentencesInSpokenText) {
  const TemporaryFolder folder;
  const auto source = folder.path() / "a.de";
  const auto target = folder.path() / "a.en";
  // The end after "3." is uncertain, and after "kommt" the example does not show whether one ends.
  write_text(source, "Er sagt: „Ja!“ – Am 3. Mai\nkommt er.\n");
  write_text(target, "A\nB\n");
  const auto first_of = [&](TextForm form, double joined) {
    const ParallelText text{source, target, 1, {{form, 1}}, joined};
    std::vector<Corpus::Example> examples;
    Corpus(std::vector{text}).draw(1, 0, [&](const auto& one) { examples.push_back(one); });
    return examples.at(0);
  };
  const auto joined = first_of(TextForm::kSpoken, 1);
  EXPECT_EQ(joined.source, "er sagt ja am 3 mai kommt er");
  EXPECT_EQ(joined.starts,
            (std::vector<SentenceStart>{{1, false}, {2, false}, {3, true}, {4, false}, {6, true}}));
  EXPECT_EQ(first_of(TextForm::kSpoken, 0).starts,
            (std::vector<SentenceStart>{{1, false}, {2, false}, {3, true}}));
  EXPECT_TRUE(first_of(TextForm::kWritten, 1).starts.empty());
}

TEST(EncodeEpoch, LabelsTheLastTokensOfWords) {
  const TemporaryFolder folder;
  const auto source = folder.path() / "a.de";
  const auto target = folder.path() / "a.en";
  write_text(source, "Guten Tag! Danke.\n");
  write_text(target, "Good day!\n");
  const auto tokenizer = test_tokenizer();
  const ParallelText text{source, target, 1, {{TextForm::kSpoken, 1}}};
  const auto pairs = encode_epoch(Corpus(std::vector{text}), Tokenizers(tokenizer), 30, 1, 0);
  ASSERT_EQ(pairs.size(), 1U);
  const auto last_of = [&](const std::string& words) {
    return static_cast<std::int64_t>(tokenize(*tokenizer, words).tokens.size()) - 1;
  };
  EXPECT_EQ(pairs[0].source_words, 3);
  EXPECT_EQ(pairs[0].starts, (std::vector<SentenceStart>{{last_of("guten tag"), false},
                                                         {last_of("guten tag danke"), true}}));
}

TEST(TrainedWords, AreThoseThat19Of20SourcesDoNotExceed) {
  std::vector<TokenPair> pairs(200);
  for (int i = 0; i < 200; ++i) pairs[static_cast<std::size_t>(i)].source_words = 200 - i;
  EXPECT_EQ(trained_words(pairs), 191);
  pairs.resize(1);
  EXPECT_EQ(trained_words(pairs), 200);
}

TEST(EncodeEpoch, LeavesOutWhatIsEmptyOrTooLong) {
  const TemporaryFolder folder;
  const auto source = folder.path() / "a.de";
  const auto target = folder.path() / "a.en";
  write_text(source, "Guten Tag!\n…\nGuten Tag Guten Tag Guten Tag Guten Tag Guten Tag\n");
  write_text(target, "Good day!\nWell.\nGood day\n");
  const auto tokenizer = test_tokenizer();
  const ParallelText text{source, target, 1, {{TextForm::kSpoken, 1}}};
  const auto pairs = encode_epoch(Corpus(std::vector{text}), Tokenizers(tokenizer), 12, 1, 0);
  auto expected = tokenize(*tokenizer, "guten tag").tokens;
  expected.push_back(kEndOfSentence);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].source, expected);
  EXPECT_EQ(pairs[0].target, tokenize(*tokenizer, "Good day!").tokens);
}

TEST(MakeBatches, GivesAPairThatIsTooLongABatchOfItsOwn) {
  std::vector<TokenPair> corpus(3);
  for (auto& pair : corpus) pair = {std::vector<int>(5), std::vector<int>(4), {}};
  corpus[1].source.resize(50);
  std::multiset<std::size_t> sizes;
  for (const auto& batch : make_batches(corpus, 10, 1, 0)) sizes.insert(batch.size());
  EXPECT_EQ(sizes, (std::multiset<std::size_t>{1, 2}));
}

TEST(MakeBatches, PutsPairsOfLikeLengthTogether) {
  const auto corpus = random_corpus(2000, 1);
  std::size_t real = 0;
  std::size_t padded = 0;
  for (const auto& batch : make_batches(corpus, 600, 1, 0)) {
    std::size_t longest = 0;
    for (const auto index : batch) {
      real += corpus[index].target.size();
      longest = std::max(longest, corpus[index].target.size());
    }
    padded += longest * batch.size();
  }
  EXPECT_LT(static_cast<double>(padded), 1.05 * static_cast<double>(real));
}

TEST(MakeBatches, FollowsTheSeedAndTheEpochAlone) {
  const auto corpus = random_corpus(300, 2);
  const auto batches = make_batches(corpus, 100, 5, 2);
  EXPECT_EQ(batches, make_batches(corpus, 100, 5, 2));
  EXPECT_NE(batches, make_batches(corpus, 100, 5, 3));
  EXPECT_NE(batches, make_batches(corpus, 100, 6, 2));
}

}  // namespace
}  // namespace surtitle
