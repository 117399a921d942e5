// References forced through a model (teacher forcing): what each decoder layer attends to when it
// is given the reference's words in place of its own, and when the policy would have written them.
//
// The same arithmetic as translating on the CPU, step by step and in float32, so that what is shown
// is what the engine does.
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

// What a layer steered each step by, see AttentionControl; empty where its attention has nothing.
struct ForcedControl {
  std::string name;
  std::vector<float> values;  // [T]
};

// A text forced through. Its S source tokens and T target tokens end with the end of sentence: step
// t sees the target before t, and target t is what it should have written.
struct ForcedSentence {
  int layers = 0;  // of the decoder
  int heads = 0;
  int source = 0;                       // S
  int target = 0;                       // T
  std::vector<float> attention;         // [layers, heads, T, S]; 0 where a layer does not see
  std::vector<float> p;                 // [layers, T]: aligned positions, see ObservedAttention
  std::vector<int> visible;             // [layers, T]: source tokens that the layer saw
  std::vector<int> reads;               // [T]: g(t), those of the furthest layer
  std::vector<int> predicted;           // [T]: the tokens that the model would have written
  std::vector<ForcedControl> controls;  // [layers]

  // Mean over the heads of a layer: [T, S].
  std::vector<float> mean_attention(int layer) const;
};

class TeacherForcing {
 public:
  struct Options {
    int threads = 1;
    int sentences = 32;     // at a time; more is faster and takes more memory
    int source_tokens = 0;  // of the longest text, without end of sentence
    int target_tokens = 0;
  };
  TeacherForcing(const Package& package, const Options& options);
  TeacherForcing(const TeacherForcing&) = delete;
  TeacherForcing& operator=(const TeacherForcing&) = delete;
  ~TeacherForcing();

  // In the order of the texts. Throws std::length_error where one is longer than the options say,
  // and std::invalid_argument for a policy that writes what drafts agree on: it has no g(t) of a
  // step.
  std::vector<ForcedSentence> run(std::span<const ForcedText> texts, const Policy& policy);

 private:
  class Batch;

  std::unique_ptr<Batch> batch_;
};

}  // namespace surtitle
