// BLEU and chrF2 compared with numbers of sacreBLEU.

#include <gtest/gtest.h>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "tests/metrics/golden.h"

namespace surtitle {
namespace {

constexpr double kTolerance = 1e-9;

std::vector<std::string> texts(const boost::json::value& array) {
  return boost::json::value_to<std::vector<std::string>>(array);
}

std::vector<boost::json::object> lines_of_kind(const std::string& kind) {
  std::vector<boost::json::object> found;
  for (const auto& file : golden::jsonl_files(golden::own_golden_folder(), "quality_")) {
    for (auto& line : golden::read_jsonl(file)) {
      if (line.at("kind").as_string() == kind) {
        found.push_back(std::move(line));
      }
    }
  }
  return found;
}

TEST(golden_bleu, TokensOfEveryLineAgree) {
  const auto lines = lines_of_kind("tokens");
  ASSERT_FALSE(lines.empty());
  for (const auto& line : lines) {
    // sacreBLEU removes white space at a line's end before it tokenises.
    std::string text(line.at("line").as_string());
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
      text.pop_back();
    }
    EXPECT_EQ(tokenize_13a(text), texts(line.at("tokens"))) << line.at("line");
  }
}

TEST(golden_bleu, EveryCorpusAgrees) {
  const auto lines = lines_of_kind("corpus");
  ASSERT_FALSE(lines.empty());
  for (const auto& line : lines) {
    SCOPED_TRACE(std::string(line.at("name").as_string()));
    const BleuScore bleu = corpus_bleu(texts(line.at("hypotheses")), texts(line.at("references")));
    EXPECT_NEAR(bleu.score, line.at("bleu").to_number<double>(), kTolerance);
    EXPECT_NEAR(bleu.brevity_penalty, line.at("brevity_penalty").to_number<double>(), kTolerance);
    EXPECT_EQ(bleu.hypothesis_length, line.at("hypothesis_length").to_number<int>());
    EXPECT_EQ(bleu.reference_length, line.at("reference_length").to_number<int>());
    for (std::size_t order = 0; order < bleu.precisions.size(); ++order) {
      EXPECT_NEAR(bleu.precisions[order],
                  line.at("precisions").as_array().at(order).to_number<double>(), kTolerance);
    }
    EXPECT_EQ(line.at("bleu_signature").as_string(), bleu_signature());
  }
}

TEST(golden_chrf, EveryCorpusAgrees) {
  for (const auto& line : lines_of_kind("corpus")) {
    SCOPED_TRACE(std::string(line.at("name").as_string()));
    EXPECT_NEAR(corpus_chrf(texts(line.at("hypotheses")), texts(line.at("references"))),
                line.at("chrf").to_number<double>(), kTolerance);
    EXPECT_EQ(line.at("chrf_signature").as_string(), chrf_signature());
  }
}

}  // namespace
}  // namespace surtitle
