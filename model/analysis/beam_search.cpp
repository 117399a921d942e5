#include "model/analysis/beam_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();

// Tokens that no translation has.
constexpr auto kNeverWritten = std::to_array({kBeginOfSentence, kPadding, kUnknown});

}  // namespace

class BeamSearch::Search final : public InferenceObserver {
 public:
  Search(const Package& package, const Options& options)
      : options_(options),
        beam_(static_cast<std::size_t>(options.beam)),
        prefix_(package.source_prefixes.empty()
                    ? std::vector<int>()
                    : package.source_prefixes[static_cast<std::size_t>(options.target_language)]),
        policy_(make_policy("full-sentence")),
        target_positions_(target_positions(options.source_tokens)),
        inference_(package, {.precision = options.precision,
                             .threads = options.threads,
                             .slots = options.sentences * options.beam,
                             .source_positions = source_positions(options.source_tokens) +
                                                 static_cast<int>(prefix_.size()),
                             .target_positions = target_positions_}),
        steps_of_slots_(static_cast<std::size_t>(options.sentences * options.beam)) {
    inference_.observe(this);
    for (int i = options.sentences; i > 0; --i) free_.push_back((i - 1) * options.beam);
  }

  std::vector<std::vector<int>> run(std::span<const std::vector<int>> sources,
                                    const std::function<void(std::size_t)>& progress) {
    for (const auto& source : sources) {
      if (source.size() > static_cast<std::size_t>(options_.source_tokens))
        throw std::length_error("source of " + std::to_string(source.size()) + " tokens; at most " +
                                std::to_string(options_.source_tokens));
    }
    std::vector<std::vector<int>> results(sources.size());
    std::size_t next = 0;
    std::size_t done = 0;
    while (true) {
      while (!free_.empty() && next < sources.size()) {
        if (sources[next].empty()) {
          ++done;
        } else {
          open(next, sources[next]);
        }
        ++next;
      }
      if (open_.empty()) break;
      step();
      const std::size_t before = done;
      for (auto& sentence : open_) {
        advance(sentence);
        if (!sentence.alive.empty()) continue;
        results[sentence.index] = std::move(sentence.best);
        close(sentence);
        ++done;
      }
      std::erase_if(open_, [](const Sentence& one) { return one.alive.empty(); });
      if (progress && done != before) progress(done);
    }
    return results;
  }

  void predicted(const ObservedLogits& step) override {
    steps_of_slots_[static_cast<std::size_t>(step.slot)].add(step.first, step.logits);
  }

 private:
  // The best tokens of one step, from logits that arrive in parts.
  class BestTokens {
   public:
    struct Token {
      float logit = kNone;
      int token = 0;
    };

    void begin(std::size_t most) {
      best_.clear();
      most_ = most;
      largest_ = kNone;
      sum_ = 0;
    }

    void add(int first, std::span<const float> logits) {
      const float largest = *std::max_element(logits.begin(), logits.end());
      if (largest > largest_) {
        sum_ *= std::exp(static_cast<double>(largest_) - largest);
        largest_ = largest;
      }
      for (std::size_t i = 0; i < logits.size(); ++i) {
        sum_ += std::exp(logits[i] - largest_);
        offer({logits[i], first + static_cast<int>(i)});
      }
    }

    // Descending; of equal logits, the lower token first.
    const std::vector<Token>& tokens() const { return best_; }
    double log_probability(const Token& token) const {
      return static_cast<double>(token.logit) - largest_ - std::log(sum_);
    }

   private:
    void offer(const Token& token) {
      if (token.logit == kNone || (best_.size() == most_ && token.logit <= best_.back().logit))
        return;
      if (std::find(kNeverWritten.begin(), kNeverWritten.end(), token.token) != kNeverWritten.end())
        return;
      const auto place =
          std::upper_bound(best_.begin(), best_.end(), token,
                           [](const Token& a, const Token& b) { return a.logit > b.logit; });
      best_.insert(place, token);
      if (best_.size() > most_) best_.pop_back();
    }

    std::vector<Token> best_;
    std::size_t most_ = 0;
    float largest_ = kNone;
    double sum_ = 0;  // of e^(logit - largest_)
  };

  struct Hypothesis {
    int slot = 0;
    std::vector<int> tokens;
    double score = 0;  // log-probability of the tokens
  };

  // One sentence and its hypotheses, whose slots begin at `first_slot`.
  struct Sentence {
    std::size_t index = 0;  // of the source
    int first_slot = 0;
    int source = 0;  // tokens with prefix and end of sentence
    std::vector<Hypothesis> alive;
    std::vector<int> best;  // of the finished ones
    double best_score = kNone;
    std::size_t finished = 0;
  };

  void open(std::size_t index, const std::vector<int>& source) {
    Sentence& sentence = open_.emplace_back();
    sentence.index = index;
    sentence.first_slot = free_.back();
    free_.pop_back();
    std::vector<int> tokens = prefix_;
    tokens.insert(tokens.end(), source.begin(), source.end());
    tokens.push_back(kEndOfSentence);
    sentence.source = static_cast<int>(tokens.size());
    for (int i = 0; i < options_.beam; ++i) {
      const int slot = sentence.first_slot + i;
      inference_.open(slot);
      if (i > 0 && inference_.shares_sources()) {
        inference_.copy_source(sentence.first_slot, slot, sentence.source);
        continue;
      }
      std::vector<SourceToken> encoded;
      for (const int token : tokens)
        encoded.push_back({slot, static_cast<int>(encoded.size()), token});
      inference_.encode(encoded);
    }
    sentence.alive.push_back({.slot = sentence.first_slot, .tokens = {}});
  }

  void close(const Sentence& sentence) {
    for (int i = 0; i < options_.beam; ++i)
      inference_.close(sentence.first_slot + i, sentence.source, target_positions_);
    free_.push_back(sentence.first_slot);
  }

  // Computes the next step of each hypothesis.
  void step() {
    steps_.clear();
    for (const auto& sentence : open_) {
      for (const auto& one : sentence.alive) {
        steps_.push_back({.slot = one.slot,
                          .target_index = static_cast<int>(one.tokens.size()),
                          .previous = one.tokens.empty() ? kEndOfSentence : one.tokens.back(),
                          .encoded = sentence.source,
                          .prefix = static_cast<int>(prefix_.size()),
                          .max_visible = sentence.source,
                          .policy = policy_.get()});
        steps_of_slots_[static_cast<std::size_t>(one.slot)].begin(beam_);
      }
    }
    outcomes_.resize(steps_.size());
    inference_.decode(steps_, outcomes_);
  }

  // Replaces the hypotheses by their best continuations. Each that ends reduces the beam by one, so
  // that the search ends.
  void advance(Sentence& sentence) {
    struct Continuation {
      std::size_t parent = 0;
      int token = 0;
      double score = 0;
    };
    std::vector<Continuation> continuations;
    for (std::size_t parent = 0; parent < sentence.alive.size(); ++parent) {
      const auto& hypothesis = sentence.alive[parent];
      const auto& step = steps_of_slots_[static_cast<std::size_t>(hypothesis.slot)];
      for (const auto& token : step.tokens())
        continuations.push_back(
            {parent, token.token, hypothesis.score + step.log_probability(token)});
    }
    std::stable_sort(continuations.begin(), continuations.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    continuations.resize(std::min(continuations.size(), beam_ - sentence.finished));

    std::vector<Hypothesis> next;
    std::vector<std::size_t> parents;
    for (const auto& one : continuations) {
      const auto& parent = sentence.alive[one.parent];
      const bool is_last = static_cast<int>(parent.tokens.size()) + 1 >= target_positions_;
      if (one.token == kEndOfSentence || is_last) {
        finish(sentence, parent.tokens, one.score);
        continue;
      }
      auto& hypothesis = next.emplace_back(Hypothesis{parent.slot, parent.tokens, one.score});
      hypothesis.tokens.push_back(one.token);
      parents.push_back(one.parent);
    }
    give_slots(sentence, next, parents);
    sentence.alive = std::move(next);
  }

  static void finish(Sentence& sentence, const std::vector<int>& tokens, double score) {
    ++sentence.finished;
    const double mean = score / static_cast<double>(tokens.size() + 1);
    if (mean <= sentence.best_score) return;
    sentence.best_score = mean;
    sentence.best = tokens;
  }

  // The first continuation of a hypothesis keeps its slot. Each other one gets a copy, in a slot
  // that no hypothesis uses any more.
  void give_slots(const Sentence& sentence, std::vector<Hypothesis>& next,
                  const std::vector<std::size_t>& parents) {
    std::vector<bool> used(beam_);
    std::vector<std::size_t> copies;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto place = static_cast<std::size_t>(next[i].slot - sentence.first_slot);
      if (used[place]) copies.push_back(i);
      used[place] = true;
    }
    for (const auto i : copies) {
      const auto unused = std::find(used.begin(), used.end(), false);
      *unused = true;
      const int slot = sentence.first_slot + static_cast<int>(unused - used.begin());
      inference_.copy_target(sentence.alive[parents[i]].slot, slot);
      next[i].slot = slot;
    }
  }

  Options options_;
  std::size_t beam_;
  std::vector<int> prefix_;  // of the target language
  PolicyPtr policy_;
  int target_positions_;
  CpuInference inference_;
  std::vector<BestTokens> steps_of_slots_;
  std::vector<int> free_;  // first slots
  std::vector<Sentence> open_;
  std::vector<DecoderStep> steps_;
  std::vector<StepOutcome> outcomes_;
};

BeamSearch::BeamSearch(const Package& package, const Options& options)
    : search_(std::make_unique<Search>(package, options)) {}

BeamSearch::~BeamSearch() = default;

std::vector<std::vector<int>> BeamSearch::run(std::span<const std::vector<int>> sources,
                                              const std::function<void(std::size_t)>& progress) {
  return search_->run(sources, progress);
}

}  // namespace surtitle
