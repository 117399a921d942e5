#include "daemon/evaluation/alignment_heads.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "daemon/evaluation/forced_pairs.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

// The weights of every head at the step of one target token, and the word that it translates.
struct Example {
  std::vector<float> weights;  // [heads of all layers, source tokens]
  std::vector<int> words;      // by source token
  int word = 0;
};

std::size_t position_of_largest(std::span<const float> weights) {
  return static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) -
                                  weights.begin());
}

void add_examples(const ForcedSentence& forced, const TokenizedPair& pair,
                  std::vector<Example>& examples) {
  const auto words = words_of_tokens(pair.source);
  const auto sources = words.size() - 1;  // without the end of sentence
  const auto all = static_cast<std::size_t>(forced.source);
  const auto steps = static_cast<std::size_t>(forced.target);
  const auto heads = static_cast<std::size_t>(forced.layers * forced.heads);
  const auto aligned = forced.mean_attention(std::max(0, forced.layers - 2));
  if (sources == 0) return;
  for (std::size_t t = 0; t + 1 < steps; ++t) {
    Example example{.weights = {}, .words = words, .word = 0};
    const auto after = std::span(aligned).subspan((t + 1) * all, sources);
    example.word = words[position_of_largest(after)];
    for (std::size_t head = 0; head < heads; ++head) {
      const auto row = std::span(forced.attention).subspan((head * steps + t) * all, sources);
      example.weights.insert(example.weights.end(), row.begin(), row.end());
    }
    examples.push_back(std::move(example));
  }
}

// Returns the share of examples whose word has the largest sum of the heads' weights.
double agreement_of(const std::vector<Example>& examples, std::span<const std::size_t> heads) {
  std::size_t agreeing = 0;
  std::vector<float> sums;
  for (const auto& example : examples) {
    const auto sources = example.words.size() - 1;
    sums.assign(sources, 0);
    for (const auto head : heads)
      for (std::size_t j = 0; j < sources; ++j) sums[j] += example.weights[head * sources + j];
    if (example.words[position_of_largest(sums)] == example.word) ++agreeing;
  }
  return examples.empty() ? 0
                          : static_cast<double>(agreeing) / static_cast<double>(examples.size());
}

}  // namespace

AlignmentHeadsRun find_alignment_heads(const Package& package, const TestSet& texts, int threads,
                                       const std::function<void(std::size_t)>& progress) {
  const auto pairs = tokenize_pairs(package.tokenizers, texts);
  const auto policy = make_policy("full-sentence");
  TeacherForcing pass(package, forcing_options(pairs, threads));
  std::vector<Example> examples;
  for (std::size_t begin = 0; begin < pairs.size(); begin += kForcedAtOnce) {
    const auto end = std::min(begin + kForcedAtOnce, pairs.size());
    std::vector<ForcedText> batch;
    for (std::size_t i = begin; i < end; ++i)
      batch.push_back({pairs[i].source.tokens, pairs[i].target.tokens});
    const auto results = pass.run(batch, *policy);
    for (std::size_t i = begin; i < end; ++i) add_examples(results[i - begin], pairs[i], examples);
    if (progress) progress(end);
  }

  const auto& architecture = package.description.architecture;
  AlignmentHeadsRun run{.tokens = examples.size(), .agreement = {}, .heads = {}, .together = 0};
  const auto count = static_cast<std::size_t>(architecture.decoder_layers) *
                     static_cast<std::size_t>(architecture.heads);
  for (std::size_t head = 0; head < count; ++head)
    run.agreement.push_back(agreement_of(examples, std::span(&head, 1)));
  // The best heads are added as long as their mean agrees more.
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return run.agreement[a] > run.agreement[b];
  });
  std::vector<std::size_t> chosen;
  for (const auto head : order) {
    chosen.push_back(head);
    const double together = agreement_of(examples, chosen);
    if (chosen.size() > 1 && together <= run.together) {
      chosen.pop_back();
    } else {
      run.together = together;
      run.heads.push_back({static_cast<int>(head) / architecture.heads,
                           static_cast<int>(head) % architecture.heads});
    }
  }
  return run;
}

}  // namespace surtitle
