#include "daemon/translation/step_cost.h"

#include <algorithm>
#include <array>
#include <vector>

#include "model/text/tokenizer.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr std::array<int, 3> kSentences{1, 8, 32};  // at the same time
constexpr int kTokens = 8;                          // source tokens of each sentence
constexpr int kMaxSteps = 16;  // after the last token, as a meaningless translation may be long
// The first round is cold: memory is touched for the first time, and threads start.
constexpr int kMinRounds = 2;
constexpr int kMaxRounds = 6;

struct Step {
  Seconds duration{0};
  double tokens = 0;
};

void measure(Translator& translator, const std::function<TimePoint()>& now, int side_by_side,
             std::vector<Step>& steps) {
  const PolicyPtr policy = make_policy(translator.info().default_policy);
  const std::array<int, 1> word{kUnknown};
  std::vector<SentenceId> sentences;
  while (std::ssize(sentences) < side_by_side) {
    const auto sentence = translator.open(policy);
    if (!sentence) {
      break;
    }
    sentences.push_back(*sentence);
  }
  std::vector<Write> writes;
  const TimePoint end = now() + to_duration(kCalibrationLimit);
  bool can_move = true;
  for (int i = 0; i < kTokens + kMaxSteps && can_move && (i == 0 || now() < end); ++i) {
    const bool reads = i < kTokens;
    for (const SentenceId sentence : sentences) {
      if (reads) {
        translator.read(sentence, word);
      } else if (i == kTokens) {
        translator.finish(sentence);
      }
    }
    writes.clear();
    const TimePoint begin = now();
    can_move = translator.tick(writes) || i <= kTokens;
    const std::size_t tokens = writes.size() + (reads ? sentences.size() : 0);
    steps.push_back({now() - begin, static_cast<double>(tokens)});
  }
  for (const SentenceId sentence : sentences) {
    translator.close(sentence);
  }
}

}  // namespace

StepCostModel calibrate_step_cost(Translator& translator, const std::function<TimePoint()>& now) {
  const TimePoint end = now() + to_duration(kCalibrationLimit);
  std::vector<Step> least;
  for (int round = 0; round < kMinRounds || (round < kMaxRounds && now() < end); ++round) {
    std::vector<Step> steps;
    for (const int side_by_side : kSentences) {
      measure(translator, now, side_by_side, steps);
    }
    if (round == 0 || steps.size() > least.size()) {
      least.swap(steps);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].tokens == least[i].tokens) {
        least[i].duration = std::min(least[i].duration, steps[i].duration);
      }
    }
  }
  StepCostModel cost;
  for (const Step& step : least) {
    cost.add(step.duration, step.tokens);
  }
  return cost;
}

}  // namespace surtitle
