#include "tests/model/torch/whole_sentence.h"

#include "model/text/tokenizer.h"

namespace surtitle {

testing::AssertionResult equals_whole_sentence(const Transformer& model, const Policy& policy,
                                               const Streamed& streamed) {
  const c10::InferenceMode inference;
  const auto source = torch::tensor(streamed.source).unsqueeze(0);
  const auto length = static_cast<std::int64_t>(streamed.source.size());
  const auto steps = static_cast<std::int64_t>(streamed.target.size()) + 1;
  auto input = torch::full({1, steps}, kEndOfSentence, torch::kLong);
  for (std::int64_t i = 1; i < steps; ++i)
    input[0][i] = streamed.target[static_cast<std::size_t>(i - 1)];
  const auto encoded = model->encode(source);
  auto least = torch::zeros({1, steps}, torch::kLong);
  for (std::int64_t at = 0; at < steps;) {
    const auto decoded = model->decode(encoded, torch::tensor({length}), input, policy,
                                       {.min_visible = least, .keep_weights = false});
    const auto best = model->logits(decoded.states)[0].argmax(1);
    const auto visible = std::get<0>(torch::cat(decoded.visible).max(0));
    for (; at < steps; ++at) {
      const auto seen = visible[at].item<std::int64_t>();
      auto token = best[at].item<std::int64_t>();
      if (at >= 2 * seen + 16) token = kEndOfSentence;
      if (token == kEndOfSentence && seen < length) {
        least.narrow(1, at, steps - at).fill_(seen + 1);
        break;
      }
      const auto expected = at + 1 < steps ? input[0][at + 1].item<std::int64_t>() : kEndOfSentence;
      const auto read = streamed.reads[static_cast<std::size_t>(at)];
      if (token != expected || seen != read)
        return testing::AssertionFailure()
               << "step " << at << ": streamed token " << expected << " after " << read
               << " reads, whole sentence " << token << " after " << seen;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace surtitle
