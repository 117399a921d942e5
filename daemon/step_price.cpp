#include "daemon/step_price.h"

#include <algorithm>
#include <array>
#include <vector>

#include "model/tokenizer.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr std::array<int, 3> kSentences{1, 8, 32};  // side by side
constexpr int kTokens = 8;                          // of each
constexpr int kMostSteps = 16;  // after the last token: a translation of nothing may be long

void measure(Translator& translator, const Environment& environment, int side_by_side,
             WorkPrice& price) {
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
  bool can_move = true;
  for (int i = 0; i < kTokens + kMostSteps && can_move; ++i) {
    const bool reads = i < kTokens;
    for (const SentenceId sentence : sentences) {
      if (reads) {
        translator.read(sentence, word);
      } else if (i == kTokens) {
        translator.finish(sentence);
      }
    }
    writes.clear();
    const TimePoint begin = environment.now();
    can_move = translator.step(writes) || i <= kTokens;
    const std::size_t work = writes.size() + (reads ? sentences.size() : 0);
    price.add(environment.now() - begin, static_cast<double>(work));
  }
  for (const SentenceId sentence : sentences) {
    translator.close(sentence);
  }
}

}  // namespace

WorkPrice measure_price(Translator& translator, const Environment& environment) {
  WorkPrice cold;  // memory that is touched for the first time, and threads that begin
  measure(translator, environment, kSentences.back(), cold);
  WorkPrice price;
  for (const int side_by_side : kSentences) {
    measure(translator, environment, side_by_side, price);
  }
  return price;
}

}  // namespace surtitle
