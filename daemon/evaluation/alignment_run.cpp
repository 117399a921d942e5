#include "daemon/evaluation/alignment_run.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include "daemon/evaluation/forced_pairs.h"
#include "daemon/evaluation/text_model.h"
#include "model/text/word_delays.h"

namespace surtitle {
namespace {

struct WordRange {
  int least;
  int most;
};
constexpr std::array<WordRange, 6> kLengths = {
    {{1, 10}, {11, 20}, {21, 30}, {31, 40}, {41, 50}, {51, std::numeric_limits<int>::max()}}};

// Returns for each target word the source words that were read when its first token was written.
std::vector<int> words_read(const TokenizedPair& pair, const ForcedSentence& forced) {
  SourceWordCounter source;
  for (const int tokens : pair.source.word_tokens) source.append_word(tokens);
  std::vector<int> read;
  std::size_t token = 0;
  for (const int tokens : pair.target.word_tokens) {
    read.push_back(source.words_in(forced.reads[token]));
    token += static_cast<std::size_t>(tokens);
  }
  return read;
}

double mean_entropy(const std::vector<float>& attention, const ForcedSentence& forced) {
  double sum = 0;
  const auto source = static_cast<std::size_t>(forced.source);
  const std::span<const float> rows(attention);
  for (int t = 0; t < forced.target; ++t) {
    sum += entropy(rows.subspan(static_cast<std::size_t>(t) * source, source));
  }
  return sum / forced.target;
}

std::vector<EntropyByLength> by_length(const std::vector<TokenizedPair>& pairs,
                                       const std::vector<double>& entropies) {
  std::vector<EntropyByLength> all;
  for (const WordRange& range : kLengths) {
    EntropyByLength bucket{.least_words = range.least, .most_words = range.most};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto words = static_cast<int>(pairs[i].source.word_tokens.size());
      if (words < range.least || words > range.most) continue;
      ++bucket.sentences;
      bucket.entropy += entropies[i];
    }
    if (bucket.sentences == 0) continue;
    bucket.entropy /= bucket.sentences;
    all.push_back(bucket);
  }
  return all;
}

// Collects the gates of all steps, by layer. Layers without a gate are left out.
class GateTally {
 public:
  void add(const ForcedSentence& forced) {
    for (std::size_t layer = 0; layer < forced.controls.size(); ++layer) {
      if (forced.controls[layer].name != "gate") continue;
      for (const float gate : forced.controls[layer].values) add(static_cast<int>(layer), gate);
    }
  }

  std::vector<GateDistribution> finish() {
    std::vector<GateDistribution> all;
    for (auto& [layer, gates] : layers_) {
      const auto steps = static_cast<double>(gates.steps);
      gates.mean /= steps;
      for (double& share : gates.histogram) share /= steps;
      all.push_back(gates);
    }
    return all;
  }

 private:
  void add(int layer, float gate) {
    GateDistribution& gates = layers_[layer];
    gates.layer = layer;
    ++gates.steps;
    gates.mean += static_cast<double>(gate);
    const auto bins = gates.histogram.size();
    const auto bin = static_cast<std::size_t>(gate * static_cast<float>(bins));
    ++gates.histogram[std::min(bin, bins - 1)];
  }

  std::map<int, GateDistribution> layers_;  // sums; finish() divides them
};

int layer_of(const AlignmentRequest& request, int layers) {
  const int layer = request.layer.value_or(layers - 1);
  if (layer < 0 || layer >= layers) {
    throw std::invalid_argument("layer " + std::to_string(layer) + "; allowed: 0 to " +
                                std::to_string(layers - 1) + ", the layers of the decoder");
  }
  return layer;
}

// Returns the number of links to words beyond the end of their sentence.
int links_beyond(const std::vector<GoldAlignment>& gold, const std::vector<TokenizedPair>& pairs) {
  int beyond = 0;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    for (const AlignmentLink& link : gold[i].possible) {
      if (static_cast<std::size_t>(link.source) >= pairs[i].source.word_tokens.size() ||
          static_cast<std::size_t>(link.target) >= pairs[i].target.word_tokens.size()) {
        ++beyond;
      }
    }
  }
  return beyond;
}

}  // namespace

AlignmentRun align_package(const AlignmentRequest& request, const TestSet& texts,
                           const SentenceProgress& progress) {
  const TextModel model = open_forced_model(request.model, request.policy);
  const Package& package = model.package;
  AlignmentRun run;
  run.policy = model.policy->spec();
  run.trained_for_policy = model.trained_for_policy;
  run.layer = layer_of(request, package.description.architecture.decoder_layers);
  const std::vector<TokenizedPair> pairs = tokenize_pairs(package.tokenizers, texts);
  std::vector<GoldAlignment> gold;
  if (!request.gold.empty()) gold = read_gold_alignments(request.gold, pairs.size());
  run.gold_beyond = links_beyond(gold, pairs);

  TeacherForcing pass(package, forcing_options(pairs, request.threads));
  std::vector<std::vector<int>> read;
  std::vector<double> entropies;
  GateTally gates;
  for (std::size_t begin = 0; begin < pairs.size(); begin += kForcedAtOnce) {
    std::vector<ForcedText> batch;
    for (std::size_t i = begin; i < std::min(begin + kForcedAtOnce, pairs.size()); ++i) {
      batch.push_back({pairs[i].source.tokens, pairs[i].target.tokens});
    }
    for (const ForcedSentence& forced : pass.run(batch, *model.policy)) {
      const TokenizedPair& pair = pairs[run.alignments.size()];
      const std::vector<float> attention = forced.mean_attention(run.layer);
      run.alignments.push_back(
          strongest_links(attention, words_of_tokens(pair.source), words_of_tokens(pair.target)));
      read.push_back(words_read(pair, forced));
      entropies.push_back(mean_entropy(attention, forced));
      gates.add(forced);
    }
    if (progress) progress(run.alignments.size());
  }
  run.entropy = by_length(pairs, entropies);
  run.gates = gates.finish();
  if (!request.gold.empty()) {
    run.scores = score_alignments(run.alignments, gold);
    run.share_read = share_read(gold, read);
  }
  return run;
}

}  // namespace surtitle
