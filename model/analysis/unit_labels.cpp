#include <algorithm>
#include <stdexcept>
#include <string>

#include "model/cpu/cpu_inference.h"
#include "model/engine/engine.h"
#include "model/engine/inference_observer.h"
#include "model/engine/meaning_units.h"
#include "model/text/tokenizer.h"
#include "policies/full_sentence.h"

namespace surtitle {
namespace {

// Labels the sentences of a batch. The index of a sentence is its slot.
class LabelCollector final : public InferenceObserver {
 public:
  LabelCollector(const Package& package, const LabelOptions& options)
      : options_(options),
        width_(static_cast<std::size_t>(package.description.architecture.d_model)),
        inference_(package, {.precision = Precision::kFloat32,
                             .threads = options.threads,
                             .slots = options.sentences,
                             .source_positions = source_positions(options.source_tokens),
                             .target_positions = target_positions(options.source_tokens)}) {
    inference_.observe(this);
  }

  void run(std::span<const std::vector<int>> sources, UnitExamples& examples) {
    sentences_.assign(sources.size(), {});
    for (std::size_t slot = 0; slot < sources.size(); ++slot)
      open(static_cast<int>(slot), sources[slot]);
    while (step()) {
    }
    for (std::size_t slot = 0; slot < sources.size(); ++slot) {
      const auto& sentence = sentences_[slot];
      examples.states.insert(examples.states.end(), sentence.states.begin(), sentence.states.end());
      examples.ends.insert(examples.ends.end(), sentence.ends.begin(), sentence.ends.end());
      inference_.close(static_cast<int>(slot), sentence.source + 1, sentence.furthest + 1);
    }
  }

  void encoded(const ObservedState& observed) override {
    auto& sentence = sentences_[static_cast<std::size_t>(observed.slot)];
    if (observed.position == sentence.source) return;  // the end-of-sentence token
    std::copy(observed.state.begin(), observed.state.end(),
              sentence.states.begin() + static_cast<std::ptrdiff_t>(width_) * observed.position);
  }

 private:
  // The whole sentence is translated first, then each prefix, until the translation ends or differs
  // from that of the whole.
  struct Sentence {
    int source = 0;             // tokens, without end of sentence
    std::vector<float> states;  // [source, C]
    std::vector<bool> ends;     // labels of the prefixes that are done
    std::vector<int> whole;     // translation of the whole sentence
    bool translated = false;    // `whole` is complete
    int target_index = 0;       // of the current step
    int furthest = 0;           // largest target index so far
    std::size_t unit = 0;       // target tokens up to the end of the last unit

    int visible() const { return translated ? static_cast<int>(ends.size()) + 1 : source + 1; }
    bool done() const { return translated && ends.size() == static_cast<std::size_t>(source); }
  };

  void open(int slot, const std::vector<int>& source) {
    if (source.size() > static_cast<std::size_t>(options_.source_tokens)) {
      throw std::length_error("sentence of " + std::to_string(source.size()) +
                              " source tokens; at most " + std::to_string(options_.source_tokens));
    }
    auto& sentence = sentences_[static_cast<std::size_t>(slot)];
    sentence.source = static_cast<int>(source.size());
    sentence.states.resize(source.size() * width_);
    inference_.open(slot);
    std::vector<SourceToken> tokens;
    tokens.reserve(source.size() + 1);
    for (const int token : source) tokens.push_back({slot, static_cast<int>(tokens.size()), token});
    tokens.push_back({slot, static_cast<int>(tokens.size()), kEndOfSentence});
    inference_.encode(tokens);
  }

  // Runs one step of every sentence that is not done. Returns false if all are done.
  bool step() {
    steps_.clear();
    for (std::size_t slot = 0; slot < sentences_.size(); ++slot) {
      const auto& sentence = sentences_[slot];
      if (sentence.done()) continue;
      const auto t = static_cast<std::size_t>(sentence.target_index);
      steps_.push_back({.slot = static_cast<int>(slot),
                        .target_index = sentence.target_index,
                        .previous = t == 0 ? kEndOfSentence : sentence.whole[t - 1],
                        .encoded = sentence.source + 1,
                        .max_visible = sentence.visible(),
                        .policy = &policy_});
    }
    if (steps_.empty()) return false;
    outcomes_.resize(steps_.size());
    inference_.decode(steps_, outcomes_);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      auto& sentence = sentences_[static_cast<std::size_t>(steps_[i].slot)];
      const bool lost = sentence.target_index >= max_target_length(sentence.visible());
      const int token = lost ? kEndOfSentence : outcomes_[i].token;
      if (sentence.translated) {
        compare(sentence, token);
      } else {
        translate(sentence, token);
      }
    }
    return true;
  }

  static void translate(Sentence& sentence, int token) {
    if (token != kEndOfSentence) {
      sentence.whole.push_back(token);
      sentence.furthest = std::max(sentence.furthest, ++sentence.target_index);
      return;
    }
    sentence.translated = true;
    sentence.target_index = 0;
  }

  // Compares the next token of a prefix's translation with the translation of the whole sentence.
  static void compare(Sentence& sentence, int token) {
    const auto t = static_cast<std::size_t>(sentence.target_index);
    if (token != kEndOfSentence && t < sentence.whole.size() && token == sentence.whole[t]) {
      ++sentence.target_index;
      return;
    }
    const bool ends = token == kEndOfSentence && t > sentence.unit;
    if (ends) sentence.unit = t;
    sentence.ends.push_back(ends);
    sentence.target_index = 0;
  }

  LabelOptions options_;
  std::size_t width_;
  CpuInference inference_;
  FullSentencePolicy policy_;
  std::vector<Sentence> sentences_;  // by slot
  std::vector<DecoderStep> steps_;
  std::vector<StepOutcome> outcomes_;
};

}  // namespace

UnitExamples label_units(const Package& package, std::span<const std::vector<int>> sources,
                         const LabelOptions& options,
                         const std::function<void(std::size_t)>& progress) {
  LabelCollector collector(package, options);
  UnitExamples examples;
  examples.width = static_cast<std::size_t>(package.description.architecture.d_model);
  for (std::size_t done = 0; done < sources.size();) {
    const auto count = std::min(sources.size() - done, static_cast<std::size_t>(options.sentences));
    collector.run(sources.subspan(done, count), examples);
    done += count;
    if (progress) progress(done);
  }
  return examples;
}

}  // namespace surtitle
