#include "tests/model/support/tiny_training.h"

#include <array>
#include <random>

namespace surtitle {
namespace {

constexpr auto kWords =
    std::to_array<const char*>({"bal", "dor", "fen", "gim", "hul", "jat", "kes", "lip", "mov",
                                "nur", "pag", "ret", "sil", "tok", "vun", "zam"});

void write_lines(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  write_text(file, text);
}

}  // namespace

std::vector<std::string> copy_sentences(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> sentences;
  for (int i = 0; i < count; ++i) {
    std::string& sentence = sentences.emplace_back();
    for (auto words = 2 + random() % 5; words > 0; --words)
      sentence.append(sentence.empty() ? "" : " ").append(kWords[random() % kWords.size()]);
  }
  return sentences;
}

TinyTraining::TinyTraining() {
  const auto text = [&](const char* name) { return folder_.path() / name; };
  write_lines(text("train.de"), copy_sentences(2000, 1));
  write_lines(text("dev.de"), copy_sentences(40, 2));
  std::filesystem::copy_file(text("train.de"), text("train.en"));
  std::filesystem::copy_file(text("dev.de"), text("dev.en"));
  recipe.name = "copy";
  recipe.source_language = "de";
  recipe.target_language = "en";
  recipe.train = {{text("train.de"), text("train.en")}};
  recipe.dev = {{text("dev.de"), text("dev.en")}};
  recipe.architecture = {.d_model = 16,
                         .heads = 2,
                         .ffn = 32,
                         .encoder_layers = 1,
                         .decoder_layers = 1,
                         .source_vocabulary = kCopyVocabulary,
                         .target_vocabulary = kCopyVocabulary};
  recipe.default_policy = "gma:delta=1";
  recipe.training = {.policies = {"gma:delta=0.5..3"},
                     .batch_tokens = 300,
                     .products = ProductType::kFloat32,
                     .learning_rate = 1e-2,
                     .warmup_updates = 10,
                     .max_updates = 24,
                     .checkpoint_minutes = 1000,
                     .average = 2};
}

std::filesystem::path TinyTraining::checkpoint(const std::string& run, int updates) const {
  return folder(run) / ("checkpoint-" + std::to_string(updates) + ".safetensors");
}

std::filesystem::path TinyTraining::write_recipe() const {
  const auto file = folder_.path() / "copy.yaml";
  const auto& options = recipe.training;
  write_text(
      file,
      "name: copy\nsource_language: de\ntarget_language: en\n"
      "train:\n  - {source: train.de, target: train.en}\n"
      "dev:\n  - {source: dev.de, target: dev.en}\n"
      "architecture:\n" +
          to_yaml(recipe.architecture) + "default_policy: " + recipe.default_policy +
          "\ntraining:\n  policies: [\"" + options.policies.front() + "\"]" +
          "\n  batch_tokens: " + std::to_string(options.batch_tokens) +
          "\n  products: float32\n  learning_rate: " + std::to_string(options.learning_rate) +
          "\n  warmup_updates: " + std::to_string(options.warmup_updates) +
          "\n  max_updates: " + std::to_string(options.max_updates) +
          "\n  checkpoint_updates: " + std::to_string(options.checkpoint_updates) +
          "\n  average: " + std::to_string(options.average) + "\n");
  return file;
}

}  // namespace surtitle
