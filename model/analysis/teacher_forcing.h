// Teacher forcing: feeds references to a model in place of its own translations.
//
// The result is the attention of each decoder layer, and the number of source tokens that the
// policy reads before each reference token. The arithmetic is that of translation on the CPU, step
// by step and in float32, so the result shows what the engine does.
//
// Thread-safety: none; one owner.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/package/package.h"
#include "policies/policy.h"

namespace surtitle {

// Token ids, without end of sentence.
struct ForcedText {
  std::vector<int> source;
  std::vector<int> target;
};

// The AttentionControl of a layer at each step. Empty if the layer's attention has none.
struct ForcedControl {
  std::string name;
  std::vector<float> values;  // [T]
};

// The result for one text. Its S source tokens and its T target tokens include the end of sentence.
// Step t sees the target tokens before t, and target token t is its reference.
struct ForcedSentence {
  int layers = 0;  // of the decoder
  int heads = 0;
  int source = 0;                       // S
  int target = 0;                       // T
  std::vector<float> attention;         // [layers, heads, T, S]; 0 for tokens that are not visible
  std::vector<float> p;                 // [layers, T]: aligned positions, see ObservedAttention
  std::vector<int> visible;             // [layers, T]: source tokens that the layer saw
  std::vector<int> reads;               // [T]: g(t), source tokens that the furthest layer saw
  std::vector<int> predicted;           // [T]: the tokens that the model would have written
  std::vector<ForcedControl> controls;  // [layers]

  // Returns the mean over the heads of a layer: [T, S].
  std::vector<float> mean_attention(int layer) const;
};

// Throws std::invalid_argument for a policy that writes drafts (Policy::drafting()), because its
// steps have no g(t).
void require_forcible(const Policy& policy);

class TeacherForcing {
 public:
  struct Options {
    int threads = 1;
    int sentences = 32;     // in one batch; more is faster and needs more memory
    int source_tokens = 0;  // of the longest text, without end of sentence
    int target_tokens = 0;  // of the longest text, without end of sentence
  };
  TeacherForcing(const Package& package, const Options& options);
  TeacherForcing(const TeacherForcing&) = delete;
  TeacherForcing& operator=(const TeacherForcing&) = delete;
  ~TeacherForcing();

  // Returns the results in the order of the texts. Throws std::length_error if a text is longer
  // than the options allow, and what require_forcible() throws.
  std::vector<ForcedSentence> run(std::span<const ForcedText> texts, const Policy& policy);

 private:
  class Batch;

  std::unique_ptr<Batch> batch_;
};

}  // namespace surtitle
