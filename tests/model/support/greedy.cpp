#include "tests/model/support/greedy.h"

#include "model/text/tokenizer.h"
#include "policies/full_sentence.h"

namespace surtitle {

std::vector<int> translate_greedily(CpuInference& inference, std::span<const int> source,
                                    const std::vector<int>& forced) {
  const FullSentencePolicy policy;
  inference.open(0);
  std::vector<SourceToken> tokens;
  for (std::size_t i = 0; i < source.size(); ++i)
    tokens.push_back({.slot = 0, .position = static_cast<int>(i), .token = source[i]});
  inference.encode(tokens);
  const int length = static_cast<int>(source.size());
  std::vector<int> target;
  while (true) {
    const int index = static_cast<int>(target.size());
    const DecoderStep step{.slot = 0,
                           .target_index = index,
                           .previous = target.empty() ? kEndOfSentence : target.back(),
                           .encoded = length,
                           .max_visible = length,
                           .policy = &policy};
    StepOutcome outcome;
    inference.decode(std::span(&step, 1), std::span(&outcome, 1));
    int token = index >= 2 * length + 16 ? kEndOfSentence : outcome.token;
    if (target.size() < forced.size()) token = forced[target.size()];
    if (token == kEndOfSentence) break;
    target.push_back(token);
  }
  inference.close(0, length, static_cast<int>(target.size()) + 1);
  return target;
}

}  // namespace surtitle
