#include "model/analysis/teacher_forcing.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/cpu/cpu_inference.h"
#include "model/text/tokenizer.h"

namespace surtitle {

std::vector<float> ForcedSentence::mean_attention(int layer) const {
  const auto size = static_cast<std::size_t>(target) * static_cast<std::size_t>(source);
  std::vector<float> mean(size);
  const float* from =
      attention.data() + static_cast<std::size_t>(layer) * static_cast<std::size_t>(heads) * size;
  for (int head = 0; head < heads; ++head, from += size) {
    for (std::size_t i = 0; i < size; ++i) mean[i] += from[i];
  }
  for (float& value : mean) value /= static_cast<float>(heads);
  return mean;
}

// The sentences of a batch. The index of a sentence is its slot.
class TeacherForcing::Batch final : public InferenceObserver {
 public:
  Batch(const Package& package, const Options& options)
      : options_(options),
        layers_(package.description.architecture.decoder_layers),
        heads_(package.description.architecture.heads),
        prefix_(package.source_prefixes.empty() ? std::vector<int>()
                                                : package.source_prefixes.front()),
        inference_(package, {.precision = Precision::kFloat32,
                             .threads = options.threads,
                             .slots = options.sentences,
                             .source_positions = prefix() + options.source_tokens + 1,
                             .target_positions = options.target_tokens + 1}) {
    inference_.observe(this);
  }

  std::size_t most() const { return static_cast<std::size_t>(options_.sentences); }

  void run(std::span<const ForcedText> texts, const Policy& policy,
           std::vector<ForcedSentence>& done) {
    sentences_.clear();
    for (const ForcedText& text : texts) open(text);
    int longest = 0;
    for (const auto& sentence : sentences_) longest = std::max(longest, sentence.target);
    for (int t = 0; t < longest; ++t) step(t, texts, policy);
    for (std::size_t slot = 0; slot < sentences_.size(); ++slot) {
      ForcedSentence& sentence = sentences_[slot];
      inference_.close(static_cast<int>(slot), prefix() + sentence.source, sentence.target);
      done.push_back(std::move(sentence));
    }
  }

  void attended(const ObservedAttention& step) override {
    ForcedSentence& sentence = sentences_[static_cast<std::size_t>(step.slot)];
    const auto at = static_cast<std::size_t>(step.layer) * sentence.reads.size() +
                    static_cast<std::size_t>(step.target_index);
    sentence.p[at] = step.p;
    const int visible = step.visible - prefix();
    sentence.visible[at] = visible;
    for (int head = 0; head < heads_; ++head) {
      const auto row = (static_cast<std::ptrdiff_t>(step.layer * heads_ + head) * sentence.target +
                        step.target_index) *
                       sentence.source;
      std::copy_n(
          step.weights.begin() + static_cast<std::ptrdiff_t>(head) * step.visible + prefix(),
          visible, sentence.attention.begin() + row);
    }
    if (step.control) {
      ForcedControl& control = sentence.controls[static_cast<std::size_t>(step.layer)];
      control.name = step.control->name;
      control.values.resize(sentence.reads.size());
      control.values[static_cast<std::size_t>(step.target_index)] = step.control->value;
    }
  }

 private:
  int prefix() const { return static_cast<int>(prefix_.size()); }

  void open(const ForcedText& text) {
    require_fit("source", text.source.size(), options_.source_tokens);
    require_fit("target", text.target.size(), options_.target_tokens);
    const auto slot = static_cast<int>(sentences_.size());
    ForcedSentence& sentence = sentences_.emplace_back();
    sentence.layers = layers_;
    sentence.heads = heads_;
    sentence.source = static_cast<int>(text.source.size()) + 1;
    sentence.target = static_cast<int>(text.target.size()) + 1;
    const auto steps = static_cast<std::size_t>(sentence.target);
    const auto of_layers = static_cast<std::size_t>(layers_) * steps;
    sentence.attention.resize(of_layers * static_cast<std::size_t>(heads_ * sentence.source));
    sentence.p.resize(of_layers);
    sentence.visible.resize(of_layers);
    sentence.reads.resize(steps);
    sentence.predicted.resize(steps);
    sentence.controls.resize(static_cast<std::size_t>(layers_));

    inference_.open(slot);
    std::vector<SourceToken> tokens;
    const auto add = [&](int token) {
      tokens.push_back({slot, static_cast<int>(tokens.size()), token});
    };
    std::for_each(prefix_.begin(), prefix_.end(), add);
    std::for_each(text.source.begin(), text.source.end(), add);
    add(kEndOfSentence);
    inference_.encode(tokens);
  }

  static void require_fit(const std::string& side, std::size_t tokens, int most) {
    if (tokens <= static_cast<std::size_t>(most)) return;
    throw std::length_error(side + " of " + std::to_string(tokens) + " tokens; at most " +
                            std::to_string(most));
  }

  void step(int t, std::span<const ForcedText> texts, const Policy& policy) {
    const auto at = static_cast<std::size_t>(t);
    steps_.clear();
    for (std::size_t slot = 0; slot < texts.size(); ++slot) {
      const ForcedSentence& sentence = sentences_[slot];
      if (t >= sentence.target) continue;
      steps_.push_back({.slot = static_cast<int>(slot),
                        .target_index = t,
                        .previous = t == 0 ? kEndOfSentence : texts[slot].target[at - 1],
                        .encoded = prefix() + sentence.source,
                        .prefix = prefix(),
                        .max_visible = prefix() + sentence.source,
                        .policy = &policy});
    }
    outcomes_.resize(steps_.size());
    inference_.decode(steps_, outcomes_);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      ForcedSentence& sentence = sentences_[static_cast<std::size_t>(steps_[i].slot)];
      sentence.reads[at] = outcomes_[i].visible - prefix();
      sentence.predicted[at] = outcomes_[i].token;
    }
  }

  Options options_;
  int layers_;
  int heads_;
  std::vector<int> prefix_;  // of the package's target language
  CpuInference inference_;
  std::vector<ForcedSentence> sentences_;  // by slot
  std::vector<DecoderStep> steps_;
  std::vector<StepOutcome> outcomes_;
};

TeacherForcing::TeacherForcing(const Package& package, const Options& options)
    : batch_(std::make_unique<Batch>(package, options)) {}

TeacherForcing::~TeacherForcing() = default;

void require_forcible(const Policy& policy) {
  if (policy.drafting()) {
    throw std::invalid_argument(policy.spec() +
                                " translates in drafts; a text is forced under a policy that "
                                "decides for each token, such as full-sentence");
  }
}

std::vector<ForcedSentence> TeacherForcing::run(std::span<const ForcedText> texts,
                                                const Policy& policy) {
  require_forcible(policy);
  std::vector<ForcedSentence> done;
  done.reserve(texts.size());
  while (!texts.empty()) {
    const auto count = std::min(texts.size(), batch_->most());
    batch_->run(texts.first(count), policy, done);
    texts = texts.subspan(count);
  }
  return done;
}

}  // namespace surtitle
