// The one door between Surtitle's daemon and the neural network: token ids in, token ids out.
//
// A Translator holds many open sentences and moves all of them that can move by one batched step.
// It knows nothing of text, sockets or time. Implementations: the engine (model/engine/engine.h)
// and the scripted translator of the daemon's tests.
//
// daemon/README.md tells a word's way to here and back.
//
// Contract: the tokens written for a sentence depend on its source tokens, the model and its policy
// alone, never on when tokens arrived or which sentences shared a batch; a written token is never
// taken back.
//
// Thread-safety: none. One thread (the batching loop) owns a Translator and makes every call;
// info() is immutable and may be read from any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/engine/step_attention.h"
#include "model/text/text_form.h"
#include "policies/policy.h"

namespace surtitle {

// What a model is, for `ready`, logs and limits.
struct ModelInfo {
  std::string name;             // the package's folder name, "de-en-gma"
  std::string source_language;  // "de"
  std::string target_language;  // "en"
  // Names of the policies that the model was trained for; another runs, with a warning.
  std::vector<std::string> trained_policies;
  std::string default_policy;          // a spec for make_policy(), "gma:delta=1"
  std::vector<TextForm> source_forms;  // that it was trained on; text in another form costs quality
  int max_source_tokens = 0;           // of one sentence, without the end-of-sentence token
  int max_sentences = 0;               // open at the same time; more wait in line
  bool supports_attention = false;     // whether Translator::record_attention() is of any effect
};

// Names an open sentence; reused after close().
using SentenceId = int;

// One target token, written for good.
struct Write {
  SentenceId sentence = 0;
  int token = 0;     // target token id; of no meaning where `end`
  int read = 0;      // g(i): source tokens visible to this step (of the furthest layer), end of
                     // sentence included
  bool end = false;  // the translation is complete and this write carries no token
  // What the step looked at; nullptr where nobody asked, see Translator::record_attention().
  std::shared_ptr<const StepAttention> attention = nullptr;
};

class Translator {
 public:
  Translator() = default;
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;
  virtual ~Translator() = default;

  virtual const ModelInfo& info() const noexcept = 0;

  // What throws leaves a sentence that only close() may be called for, step() all of them; open()
  // leaves none. close() throws nothing where memory runs out.

  // Opens a sentence; nothing where max_sentences are open already.
  virtual std::optional<SentenceId> open(PolicyPtr policy) = 0;

  // From now on the sentence's writes tell what their steps looked at, where the device can. What
  // is written stays the same. REQUIRES: open, nothing written.
  virtual void record_attention(SentenceId /*sentence*/) {}

  // What was written for the sentence before, on another translator of the same model: its first
  // tokens are these and are not written again. The rest follows as if nothing had happened.
  // REQUIRES: open, nothing written.
  virtual void force(SentenceId sentence, std::vector<int> tokens) = 0;

  // A hint: `sentence` will be given the tokens that `other` is given, and they may be encoded once
  // for both. What is written stays the same, even where the hint is wrong. REQUIRES: both open,
  // nothing read of `sentence`.
  virtual void share_source(SentenceId /*sentence*/, SentenceId /*other*/) {}

  // Appends source tokens. REQUIRES: open, not finished, and the sum stays within
  // max_source_tokens.
  virtual void read(SentenceId sentence, std::span<const int> tokens) = 0;

  // The source is complete; the end-of-sentence token is added here. REQUIRES: open, not finished.
  virtual void finish(SentenceId sentence) = 0;

  // Frees the sentence, complete or not. REQUIRES: open.
  virtual void close(SentenceId sentence) = 0;

  // One tick: encodes every source token that has arrived, then runs one decoder step for every
  // sentence that can see enough source. Appends what was written, a sentence's tokens in order.
  // Returns true where another tick can move something without new source, or where a slot became
  // free in this one.
  virtual bool step(std::vector<Write>& writes) = 0;
};

struct TranslatorOptions {
  std::string device = "auto";  // "cpu", "cuda", or "auto": CUDA where there is one
  // On the CPU "float32", "int8" (AVX512-VNNI), or the fastest; on CUDA "float32" or half
  // precision.
  std::string precision = "auto";
  int threads = 0;  // on the CPU; 0: one for each available processor
  // Slots. On the CPU memory is handed out as sentences grow, see model/cpu/kv_cache.h; on CUDA it
  // is taken at the start, and where it does not suffice there are fewer, see ModelInfo.
  int max_sentences = 256;
  int max_source_tokens = 512;  // longest sentence taken; also bounded by the model
};

// Loads a model package (model/package/package.h) and makes it ready: weights on the device, shapes
// warmed up. Throws std::runtime_error with one line that names the file, the tensor and what is
// wrong.
std::unique_ptr<Translator> load_translator(const std::filesystem::path& package,
                                            const TranslatorOptions& options);

}  // namespace surtitle
