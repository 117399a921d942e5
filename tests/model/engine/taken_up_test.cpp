// A sentence that continues on a different engine, with its written tokens forced, is translated as
// on one engine.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "policies/registry.h"
#include "tests/model/support/cpu_engine.h"
#include "tests/model/support/random_package.h"
#include "tests/model/support/test_files.h"

namespace surtitle {
namespace {

constexpr int kMaxSource = 24;
constexpr int kPieces = 40;

struct Token {
  int token;
  int read;
  bool operator==(const Token&) const = default;
};

class TakenUp : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Engine> make_engine() const { return cpu_engine(package_, 2, kMaxSource); }

  static void run(Engine& engine, std::vector<Token>& tokens) {
    std::vector<Write> writes;
    while (engine.tick(writes)) {
    }
    for (const Write& write : writes) tokens.push_back({write.token, write.read});
  }

  std::vector<int> random_source() {
    std::vector<int> source(1 + random_() % (kMaxSource - 1));
    for (int& token : source) token = static_cast<int>(4 + random_() % (kPieces - 4));
    return source;
  }

  static CrossAttentions attention_for(const std::string& policy) {
    if (policy == "mma") return {MmaOptions()};
    return {GmaOptions()};
  }

  const TemporaryFolder folder_;
  const Package package_ = random_package({.d_model = 32,
                                           .ffn = 48,
                                           .encoder_layers = 2,
                                           .source_vocabulary = kPieces,
                                           .target_vocabulary = kPieces,
                                           .cross_attention = attention_for(GetParam()),
                                           .tied_output = false,
                                           .meaning_units = GetParam() == "mu"},
                                          folder_.path() / "package");
  std::mt19937 random_{7};
};

TEST_P(TakenUp, GoesOnAsIfItHadNeverMoved) {
  const PolicyPtr policy = make_policy(GetParam());
  int moved_within = 0;
  for (int round = 0; round < 40; ++round) {
    const std::vector<int> source = random_source();
    const std::size_t cut = random_() % (source.size() + 1);
    const std::unique_ptr<Engine> first = make_engine();
    const SentenceId before = *first->open(policy);
    std::vector<Token> whole;
    for (std::size_t i = 0; i < cut; ++i) {
      first->read(before, std::span(&source[i], 1));
      run(*first, whole);
    }
    const std::vector<Token> written = whole;
    first->read(before, std::span(source).subspan(cut));
    first->finish(before);
    run(*first, whole);

    const std::unique_ptr<Engine> second = make_engine();
    const SentenceId after = *second->open(policy);
    std::vector<int> forced;
    forced.reserve(written.size());
    for (const Token& token : written) forced.push_back(token.token);
    moved_within += forced.empty() ? 0 : 1;
    second->force(after, forced);
    second->read(after, std::span(source).first(cut));
    std::vector<Token> resumed;
    run(*second, resumed);
    EXPECT_TRUE(resumed.empty()) << "of what was written before";
    second->read(after, std::span(source).subspan(cut));
    second->finish(after);
    run(*second, resumed);
    resumed.insert(resumed.begin(), written.begin(), written.end());
    EXPECT_EQ(resumed, whole) << "after " << cut << " of " << source.size();
  }
  EXPECT_GT(moved_within, GetParam() == "full-sentence" ? -1 : 5);
}

// Different arithmetic may predict a different token: the written tokens stay, and the rest follows
// them.
class TakenUpFrom : public TakenUp {};

TEST_P(TakenUpFrom, GoesOnFromWhatWasWritten) {
  const std::vector<int> source = {5, 6, 7, 8, 9, 10};
  const std::unique_ptr<Engine> engine = make_engine();
  const SentenceId id = *engine->open(make_policy(GetParam()));
  engine->force(id, {11, 12});
  engine->read(id, source);
  engine->finish(id);
  std::vector<Token> rest;
  run(*engine, rest);
  const std::unique_ptr<Engine> other = make_engine();
  const SentenceId own = *other->open(make_policy(GetParam()));
  other->force(own, {11});
  other->read(own, source);
  other->finish(own);
  std::vector<Token> own_rest;
  run(*other, own_rest);
  ASSERT_FALSE(rest.empty());
  ASSERT_FALSE(own_rest.empty());
  EXPECT_NE(own_rest, rest);
}

std::string name_of(const testing::TestParamInfo<std::string>& policy) {
  std::string name = policy.param.substr(0, policy.param.find(':'));
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Policies, TakenUp,
                         testing::Values("gma:delta=1", "full-sentence", "wait-k:k=3", "static-rw",
                                         "mma", "local-agreement", "alignatt", "mu"),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Policies, TakenUpFrom,
                         testing::Values("gma:delta=1", "full-sentence", "wait-k:k=3", "static-rw",
                                         "mma", "local-agreement", "alignatt", "mu"),
                         name_of);

}  // namespace
}  // namespace surtitle
