// Imports the tiny model of tests/data/marian from each form that Marian models are published in.

#include "model/import/import_marian.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "model/engine/inference_observer.h"
#include "model/engine/translator.h"
#include "model/import/readers.h"
#include "model/package/package.h"
#include "model/package/tensor_values.h"
#include "policies/registry.h"
#include "tests/model/support/run_program.h"
#include "tests/model/support/streaming.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using std::filesystem::path;
using testing::HasSubstr;

const path& data_folder() {
  static const path folder = path(SURTITLE_SOURCE_DIR) / "tests/data/marian";
  return folder;
}

// Runs forms.py once for all tests.
const path& forms() {
  static const TemporaryFolder folder;
  static const path made = [] {
    const auto end = run_program(
        SURTITLE_PYTHON, {"-B", data_folder() / "forms.py", data_folder() / "hf", folder.path()});
    EXPECT_EQ(end.exit_code, 0) << end.err;
    std::filesystem::copy(data_folder() / "hf", folder.path() / "hf");
    return folder.path();
  }();
  return made;
}

std::vector<float> values_of(const Package& package, const std::string& tensor) {
  return float_values(package.weights, tensor);
}

class MarianImports : public testing::Test {
 protected:
  Package import(const path& input, const std::function<void(MarianImport&)>& change = {}) {
    MarianImport options{input, folder_.path() / "package", "de", "en", "", "", ""};
    if (change) change(options);
    imported_ = import_marian(options);
    return open_package(options.output);
  }
  std::string error(const path& input, const std::function<void(MarianImport&)>& change = {}) {
    return error_of([&] { import(input, change); });
  }
  // Copies a form, in which a test changes files.
  path copy_of(const std::string& form) {
    std::filesystem::copy(forms() / form, folder_.path() / form);
    return folder_.path() / form;
  }
  static void replace(const path& file, const std::string& from, const std::string& to) {
    std::string text = read_text(file);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_text(file, text.replace(at, from.size(), to));
  }
  static void expect_equal_weights(const Package& package, const Package& expected) {
    for (const auto& tensor : expected_tensors(expected.description.architecture)) {
      if (tensor.name == "decoder.output_projection.bias")
        continue;  // differs in what is forbidden
      EXPECT_EQ(values_of(package, tensor.name), values_of(expected, tensor.name)) << tensor.name;
    }
  }

  TemporaryFolder folder_;
  ImportedPackage imported_;
};

// The parameter is a form with the weights of hf/.
class MarianForm : public MarianImports, public testing::WithParamInterface<const char*> {};

TEST_P(MarianForm, HasTheWeightsOfTheOthers) {
  const Package expected = import(forms() / "hf");
  const Package package = import(forms() / GetParam(), [&](MarianImport& options) {
    options.output = folder_.path() / "other";
  });
  expect_equal_weights(package, expected);
  for (const char* file : {"source.pieces", "target.pieces", "source.spm", "target.spm"})
    EXPECT_EQ(read_text(package.folder / file), read_text(expected.folder / file)) << file;
  auto ours = values_of(package, "decoder.output_projection.bias");
  auto theirs = values_of(expected, "decoder.output_projection.bias");
  EXPECT_EQ(std::vector(ours.begin() + 4, ours.end()),
            std::vector(theirs.begin() + 4, theirs.end()));
}
INSTANTIATE_TEST_SUITE_P(Forms, MarianForm,
                         testing::Values("pytorch", "legacy", "opus", "deflated", "opus.zip",
                                         "binary", "binary/model.bin", "opus/opus.npz"));

TEST_F(MarianImports, DescribeTheModel) {
  const Package package = import(forms() / "hf", [](MarianImport& options) {
    options.source_language = options.target_language = "";
    options.licence = "CC-BY-4.0";
    options.source_url = "https://example.org/model";
  });
  const auto& description = package.description;
  EXPECT_EQ(description.name, "package");
  EXPECT_EQ(description.source_language, "de");
  EXPECT_EQ(description.target_language, "en");
  EXPECT_EQ(description.licence, "CC-BY-4.0");
  EXPECT_EQ(description.origin, "https://example.org/model");
  EXPECT_EQ(description.default_policy, "alignatt:f=2");
  EXPECT_THAT(description.policies, testing::ElementsAre("full-sentence", "alignatt"))
      << "auto steers alignatt";
  const ModelConfig& config = description.architecture;
  EXPECT_EQ(config.norm, Norm::kPost);
  EXPECT_EQ(config.positions, Positions::kTransformers);
  EXPECT_EQ(config.encoder_reach, EncoderReach::kBidirectional);
  EXPECT_EQ(config.decoder_start, DecoderStart::kBegin);
  EXPECT_EQ(config.activation, Activation::kSwish);
  EXPECT_TRUE(config.output_bias);
  const std::string card = read_text(package.folder / "MODEL_CARD.md");
  EXPECT_THAT(card, HasSubstr("CC-BY-4.0"));
  EXPECT_THAT(card, HasSubstr("https://example.org/model"));

  const Package native = import(forms() / "opus");
  EXPECT_EQ(native.description.architecture.positions, Positions::kMarian);
  EXPECT_THAT(native.description.origin, testing::StartsWith("Marian, "));
  EXPECT_THAT(imported_.notes, testing::ElementsAre(HasSubstr("no licence")));
}

TEST_F(MarianImports, ForbidWhatTheirEngineForbids) {
  const auto forbidden = [](const Package& package) {
    const auto bias = values_of(package, "decoder.output_projection.bias");
    std::vector<int> tokens;
    for (std::size_t token = 0; token < bias.size(); ++token) {
      if (bias[token] == -1e9F) tokens.push_back(static_cast<int>(token));
    }
    return tokens;
  };
  EXPECT_EQ(forbidden(import(forms() / "hf")), std::vector({kBeginOfSentence, kPadding}));
  EXPECT_EQ(forbidden(import(forms() / "opus")),
            std::vector({kBeginOfSentence, kPadding, kUnknown}));
}

TEST_F(MarianImports, EncodeTextAsTheirTokenizers) {
  const Package package = import(forms() / "hf");
  const json::value golden = json::parse(read_text(data_folder() / "golden.json"));
  for (const json::value& one : golden.at("transformers").as_array()) {
    const std::string text(one.at("source").as_string());
    auto tokens = tokenize(*package.tokenizers.source, text).tokens;
    tokens.push_back(kEndOfSentence);
    EXPECT_EQ(tokens, json::value_to<std::vector<int>>(one.at("source_ids"))) << text;
  }
  // Both SentencePiece models lack this character, and the vocabulary has it.
  EXPECT_EQ(
      package.tokenizers.source->piece(package.tokenizers.source->encode_word("\u2603").back()),
      "\u2603");
  EXPECT_EQ(package.tokenizers.source->encode_word("\u6f22\u5b57").back(), kUnknown);
}

// Collects the logits of one sentence.
class Logits final : public InferenceObserver {
 public:
  void predicted(const ObservedLogits& part) override {
    if (part.first == 0) steps_[part.target_index].clear();
    auto& step = steps_[part.target_index];
    step.insert(step.end(), part.logits.begin(), part.logits.end());
  }
  const std::vector<float>& at(std::size_t step) { return steps_[static_cast<int>(step)]; }

 private:
  std::map<int, std::vector<float>> steps_;  // by target index
};

void expect_near(const std::vector<float>& logits, const std::vector<double>& golden) {
  ASSERT_EQ(logits.size(), golden.size());
  for (std::size_t token = 0; token < golden.size(); ++token) {
    if (golden[token] == -1e9) {
      EXPECT_LT(logits[token], -1e8) << "token " << token;
    } else {
      EXPECT_NEAR(logits[token], golden[token], 1e-4) << "token " << token;
    }
  }
}

// The parameter is a form, and the numbers of golden.json that it has.
struct Parity {
  const char* form;
  const char* numbers;
};
class MarianParity : public MarianImports, public testing::WithParamInterface<Parity> {};

TEST_P(MarianParity, TranslatesAsTheOtherEngine) {
  constexpr int kMaxTokens = 64;
  constexpr std::size_t kMaxGolden = 12;
  const Package package = import(forms() / GetParam().form);
  auto inference = std::make_unique<CpuInference>(
      package, CpuInference::Options{.slots = 1,
                                     .source_positions = source_positions(kMaxTokens),
                                     .target_positions = target_positions(kMaxTokens)});
  CpuInference& observed = *inference;
  Engine engine(package.description, {.max_sentences = 1, .max_source_tokens = kMaxTokens},
                std::move(inference));
  const json::value golden = json::parse(read_text(data_folder() / "golden.json"));
  for (const json::value& one : golden.at(GetParam().numbers).as_array()) {
    SCOPED_TRACE(std::string(one.at("source").as_string()));
    auto source = json::value_to<std::vector<int>>(one.at("source_ids"));
    ASSERT_EQ(source.back(), kEndOfSentence);
    source.pop_back();
    Logits logits;
    observed.observe(&logits);
    std::mt19937 random(1);
    auto written = stream(engine, {source}, make_policy("full-sentence"), 1, random).front().target;
    observed.observe(nullptr);
    if (written.size() < kMaxGolden) written.push_back(kEndOfSentence);
    written.resize(std::min(written.size(), kMaxGolden));
    EXPECT_EQ(written, json::value_to<std::vector<std::int64_t>>(one.at("target_ids")));
    const auto steps = json::value_to<std::vector<std::vector<double>>>(one.at("logits"));
    for (std::size_t step = 0; step < steps.size(); ++step)
      expect_near(logits.at(step), steps[step]);
  }
}
INSTANTIATE_TEST_SUITE_P(Forms, MarianParity,
                         testing::Values(Parity{"hf", "transformers"},
                                         Parity{"pytorch", "transformers"},
                                         Parity{"legacy", "transformers"}, Parity{"opus", "marian"},
                                         Parity{"opus.zip", "marian"}, Parity{"binary", "marian"},
                                         Parity{"ssru", "ssru"}),
                         [](const auto& test) {
                           std::string name = test.param.form;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST_F(MarianImports, HaveAPrefixForEachTarget) {
  const auto into = [](const std::string& language) {
    return [=](MarianImport& options) { options.target_language = language; };
  };
  // English has no tag, as in a model of one pair.
  EXPECT_TRUE(import(forms() / "hf").source_prefixes.empty());
  const Package german = import(forms() / "hf", into("deu"));
  EXPECT_EQ(german.description.target_language, "de");
  ASSERT_EQ(german.source_prefixes.size(), 1U);
  EXPECT_EQ(german.tokenizers.source->piece(german.source_prefixes.front().front()), ">>deu<<");

  const path folder = copy_of("hf");
  replace(folder / "vocab.json", "\"\u2603\"", "\">>cmn_Hans<<\"");
  EXPECT_THAT(error(folder), HasSubstr("has several target languages, but not 'en'; add --to with "
                                       "one of: de, zh-Hans"));
  for (const char* wanted : {"zh", "cmn_Hans"}) {
    const Package chinese = import(folder, into(wanted));
    EXPECT_EQ(chinese.description.target_language, "zh-Hans");
    EXPECT_THAT(chinese.description.source_prefixes,
                testing::ElementsAre(SourcePrefix{"zh-Hans", {">>cmn_Hans<<"}},
                                     SourcePrefix{"de", {">>deu<<"}}));
  }
  EXPECT_THAT(imported_.notes.back(), HasSubstr("2 target languages"));
}

TEST_F(MarianImports, TranslateIntoTheTargetOfAStream) {
  const path folder = copy_of("hf");
  replace(folder / "vocab.json", "\"\u2603\"", "\">>nld<<\"");
  const Package package =
      import(folder, [](MarianImport& options) { options.target_language = "nl"; });
  const auto translator = load_translator(
      package.folder, {.device = "cpu", .precision = "float32", .threads = 1, .max_sentences = 1});
  EXPECT_THAT(translator->info().target_languages(), testing::ElementsAre("nl", "de"));
  const auto words = tokenize(*package.tokenizers.source, "Das ist eine gute Frage.").tokens;
  const auto written = [&](int target) {
    const auto id = *translator->open(make_policy("full-sentence"));
    translator->translate_into(id, target);
    translator->read(id, words);
    translator->finish(id);
    std::vector<Write> writes;
    while (writes.empty() || !writes.back().end) translator->tick(writes);
    translator->close(id);
    EXPECT_EQ(writes.back().read, std::ssize(words) + 1);
    std::vector<int> tokens;
    for (const Write& write : writes) tokens.push_back(write.token);
    return tokens;
  };
  EXPECT_EQ(written(0), written(0));
  EXPECT_NE(written(0), written(1));
}

TEST_F(MarianImports, ReadRecurrentDecoders) {
  const Package expected = import(forms() / "hf");
  const Package package = import(
      forms() / "ssru", [&](MarianImport& options) { options.output = folder_.path() / "ssru"; });
  EXPECT_EQ(package.description.architecture.target_memory, TargetMemory::kSsru);
  // forms.py has the rule by which the recurrent unit has the weights of the attention.
  const auto projections = values_of(expected, "decoder.layers.1.self_attn.in_proj_weight");
  const auto third = static_cast<std::ptrdiff_t>(projections.size() / 3);
  EXPECT_EQ(values_of(package, "decoder.layers.1.ssru.forget.weight"),
            std::vector(projections.begin(), projections.begin() + third));
  EXPECT_EQ(values_of(package, "decoder.layers.1.ssru.weight"),
            std::vector(projections.end() - third, projections.end()));
  EXPECT_EQ(values_of(package, "decoder.layers.1.ssru_layer_norm.weight"),
            values_of(expected, "decoder.layers.1.self_attn_layer_norm.weight"));
}

TEST_F(MarianImports, ReadEightBitModelsOfFirefox) {
  const Package exact = import(forms() / "ssru");
  const Package package = import(forms() / "firefox", [&](MarianImport& options) {
    options.output = folder_.path() / "firefox";
    options.source_language = options.target_language = "";
  });
  EXPECT_EQ(package.description.source_language, "de");
  EXPECT_EQ(package.description.target_language, "en");
  EXPECT_FALSE(package.description.architecture.shared_embeddings);
  EXPECT_TRUE(package.description.architecture.tied_output);
  EXPECT_EQ(package.tokenizers.source->vocabulary_size(), 180 + 2);
  EXPECT_THAT(imported_.notes.front(), HasSubstr("lex.50.50.deen.s2t.bin is in order"));
  for (const std::string name :
       {"encoder.layers.0.self_attn.in_proj_weight", "encoder.layers.1.fc1.weight",
        "decoder.layers.0.ssru.weight", "decoder.layers.1.encoder_attn.out_proj.weight"}) {
    const auto ours = values_of(package, name);
    const auto theirs = values_of(exact, name);
    ASSERT_EQ(ours.size(), theirs.size());
    const auto largest = std::abs(*std::max_element(
        theirs.begin(), theirs.end(), [](float a, float b) { return std::abs(a) < std::abs(b); }));
    for (std::size_t i = 0; i < ours.size(); ++i)
      ASSERT_NEAR(ours[i], theirs[i], largest / 127 * 0.51) << name << " " << i;
  }
}

// The parameter is a field of Marian's settings, its value, and what the message has.
struct Unsupported {
  const char* from;
  const char* to;
  const char* message;
};
class UnsupportedSetting : public MarianImports, public testing::WithParamInterface<Unsupported> {};

TEST_P(UnsupportedSetting, IsNamedWithItsValue) {
  const path folder = copy_of("binary");
  const Unsupported& change = GetParam();
  std::string to = change.to;
  to.resize(std::string(change.from).size(), ' ');
  replace(folder / "model.bin", change.from, to);
  EXPECT_THAT(error(folder), HasSubstr(change.message));
}
INSTANTIATE_TEST_SUITE_P(
    Settings, UnsupportedSetting,
    testing::Values(
        Unsupported{"transformer-decoder-autoreg: \"self-attention\"",
                    "transformer-decoder-autoreg: aan",
                    "'transformer-decoder-autoreg' is aan; supported: self-attention, rnn"},
        Unsupported{"transformer-ffn-activation: \"swish\"", "transformer-ffn-activation: gelu",
                    "'transformer-ffn-activation' is gelu; allowed: relu, swish"},
        Unsupported{"transformer-postprocess: \"dan\"", "transformer-postprocess: dhn",
                    "'transformer-postprocess' is dhn; supported: dan"},
        Unsupported{"type: \"transformer\"", "type: s2s", "'type' is s2s; supported: transformer"},
        Unsupported{"layer-normalization: false", "layer-normalization: true",
                    "'layer-normalization' is true; supported: false"},
        Unsupported{"dim-emb: 32", "dim-emb: 64", "expected [303, 64]"}));

TEST_F(MarianImports, NameUnsupportedSettingsOfTransformers) {
  const path folder = copy_of("hf");
  replace(folder / "config.json", "\"scale_embedding\": true", "\"normalize_embedding\": true");
  EXPECT_THAT(error(folder),
              HasSubstr("config.json: 'normalize_embedding' is true; supported: false"));
}

TEST_F(MarianImports, RejectTensorsThatTheyDoNotKnow) {
  const path folder = copy_of("binary");
  replace(folder / "model.bin", "encoder_l1_ffn_b1", "encoder_l1_ffn_c1");
  EXPECT_THAT(error(folder), HasSubstr("tensor 'encoder_l1_ffn_b1': found none"));
}

TEST_F(MarianImports, RejectDamagedFiles) {
  for (const std::string form :
       {"opus/opus.npz", "binary/model.bin", "pytorch/pytorch_model.bin",
        "legacy/pytorch_model.bin", "firefox/model.deen.intgemm.alphas.bin.gz",
        "firefox/lex.50.50.deen.s2t.bin", "hf/source.spm", "hf/vocab.json"}) {
    const path folder = copy_of(path(form).parent_path());
    const path file = folder / path(form).filename();
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    EXPECT_THAT(error(folder), HasSubstr(file.string())) << form;
    std::filesystem::remove_all(folder);
  }
}

TEST(PytorchFiles, AreThoseOfTheirProgram) {
  for (const char* name : {"pytorch_2.13", "pytorch_2.13_legacy"}) {
    const std::string file =
        read_text(path(SURTITLE_SOURCE_DIR) / "tests/fuzz/corpus/import" / name);
    const auto tensors = read_pytorch(file.substr(1), name);
    EXPECT_EQ(tensors->shapes(),
              (std::map<std::string, Shape>{{"a", {2, 3}}, {"b", {4}}, {"c", {3}}, {"d", {2}}}));
    // float32, float16, bfloat16, and a parameter
    for (const char* tensor : {"a", "b", "c", "d"}) {
      for (const float value : tensors->read(tensor)) EXPECT_LT(std::abs(value), 6) << tensor;
    }
  }
}

TEST_F(MarianImports, RejectPicklesThatCallFunctions) {
  const path folder = copy_of("legacy");
  replace(folder / "pytorch_model.bin", "ctorch._utils\n_rebuild_tensor_v2\n",
          "cposix.......\nsystem............\n");
  EXPECT_THAT(error(folder),
              HasSubstr("calls posix........system............, which dictionaries"));
}

TEST_F(MarianImports, AskForWhatTheFilesDoNotHave) {
  const path folder = copy_of("opus");
  EXPECT_THAT(error(folder, [](MarianImport& options) { options.source_language = ""; }),
              HasSubstr("add --from"));
  std::filesystem::remove(folder / "source.spm");
  EXPECT_THAT(error(folder), HasSubstr("has no source.spm"));
  EXPECT_THAT(error(folder_.path() / "nothing"), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace surtitle
