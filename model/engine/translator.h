// Interface between the daemon and the neural network: token ids in, token ids out.
//
// A Translator holds many open sentences. In a tick, it moves all of them that can move by one step
// each. It has no text, sockets or clock. Implementations: the engine (model/engine/engine.h)
// and the scripted translator of the daemon's tests. daemon/README.md describes the path of a word
// from the socket to here and back.
//
// Contract: the tokens written for a sentence depend on its source tokens, the model and its policy
// alone. They never depend on when tokens arrived or which sentences shared a batch. A written
// token is final.
//
// Thread-safety: none. One thread (the batching loop) owns a Translator and makes every call;
// info() is immutable and may be read from any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/engine/step_attention.h"
#include "model/package/trained_words.h"
#include "model/text/text_form.h"
#include "policies/policy.h"

namespace surtitle {

// Description of a model, for `ready`, logs and limits.
struct ModelInfo {
  std::string name;             // in model.yaml, by default the package's folder: "de-en-gma"
  std::string source_language;  // "de"
  std::string target_language;  // "en"
  // Names of the policies that suit the model, see PackageDescription; any other causes a warning.
  std::vector<std::string> policies;
  // A spec for make_policy(), "gma:delta=1". If the device does not support that of the package, it
  // is the package's next policy.
  std::string default_policy;
  std::vector<TextForm> source_forms;  // in its training; text in another form costs quality
  int max_source_tokens = 0;           // of one sentence, without its prefix and its end
  int max_sentences = 0;               // open at the same time; others wait
  bool supports_attention = false;     // whether Translator::record_attention() has an effect
  bool watches_starts = false;         // whether Translator::watch_starts() may be called
  // Whether the package has the classifier of sentence starts. The device may not support it.
  bool has_start_classifier = false;
  int trained_words = kDefaultTrainedWords;  // see PackageDescription
  std::vector<std::string> placeholders{};   // see PackageDescription
  std::string replaced_policy{};  // the package's default if the device does not support it, or ""
  bool supports_alignatt = true;  // whether the device finds the source tokens of most attention
  // Of a model of several target languages: those beside target_language.
  std::vector<std::string> other_targets{};
  std::string licence{};  // see PackageDescription
  std::string origin{};

  // Returns target_language and the others. An index in this list is an argument of
  // Translator::translate_into().
  std::vector<std::string> target_languages() const;
  const std::string& target_language_at(int index) const {
    return index == 0 ? target_language : other_targets[static_cast<std::size_t>(index) - 1];
  }
  // Whether a target language serves a request for `language` (model/text/language_tag.h).
  bool translates_into(std::string_view language) const;
};

// Returns a sentence with the remedy if the model's device does not support the policy.
std::optional<std::string> unsupported_policy(const ModelInfo& model, const Policy& policy);

// Names an open sentence; reused after close().
using SentenceId = int;

// One target token, final.
struct Write {
  SentenceId sentence = 0;
  int token = 0;     // target token id; undefined if `end`
  int read = 0;      // g(i): source tokens visible to this step (of the furthest layer), end of
                     // sentence included
  bool end = false;  // the translation is complete; there is no token
  // The attention of the step; nullptr unless requested, see Translator::record_attention().
  std::shared_ptr<const StepAttention> attention = nullptr;
  // Set only for a watched sentence, in place of a token: the probability that a word begins a
  // sentence. `read` is the word's last source token, counted from 1.
  std::optional<float> start = std::nullopt;
};

class Translator {
 public:
  Translator() = default;
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;
  virtual ~Translator() = default;

  virtual const ModelInfo& info() const noexcept = 0;

  // Exceptions: after one, only close() may be called for the sentence (for all sentences if tick()
  // threw). If open() throws, no sentence is open. close() never throws for lack of memory.

  // Opens a sentence. Returns nullopt if max_sentences are open already.
  virtual std::optional<SentenceId> open(PolicyPtr policy) = 0;

  // Chooses the target language of the sentence, as an index in ModelInfo::target_languages(). The
  // first one needs no call. REQUIRES: open, nothing read.
  virtual void translate_into(SentenceId /*sentence*/, int /*target*/) {}

  // Makes the sentence's writes carry the attention of their steps, if the device supports it. The
  // tokens stay the same. REQUIRES: open, nothing written.
  virtual void record_attention(SentenceId /*sentence*/) {}

  // Makes the sentence report, for each call of read(), the probability that a sentence starts with
  // these tokens, a word of spoken text. It is not translated; after finish() it ends. REQUIRES:
  // info().watches_starts, open, nothing read.
  virtual void watch_starts(SentenceId /*sentence*/) {}

  // Continues a sentence that another translator of the same model has begun. Its first tokens are
  // `tokens` and are not written again; the rest is written as on one translator. REQUIRES: open,
  // nothing written.
  virtual void force(SentenceId sentence, std::vector<int> tokens) = 0;

  // A hint: `sentence` will receive the same tokens as `other`, so that they may be encoded once
  // for both. The tokens written stay the same even if the hint is wrong. REQUIRES: both open, no
  // source token read for `sentence`.
  virtual void share_source(SentenceId /*sentence*/, SentenceId /*other*/) {}

  // Appends the source tokens of whole words. REQUIRES: open, not finished, and the sum stays
  // within max_source_tokens (the engine throws std::length_error otherwise).
  virtual void read(SentenceId sentence, std::span<const int> tokens) = 0;

  // Completes the source and adds the end-of-sentence token. REQUIRES: open, not finished.
  virtual void finish(SentenceId sentence) = 0;

  // Returns true if no step can move the sentence without more source, or if it has ended.
  // REQUIRES: open.
  virtual bool waits_for_source(SentenceId sentence) const = 0;

  // Frees the sentence, complete or not. REQUIRES: open.
  virtual void close(SentenceId sentence) = 0;

  // Runs one tick: encodes source tokens that have arrived (the engine at most 32 of a sentence),
  // then computes one decoder step for every sentence that can see enough source. Appends the
  // writes; those of a sentence are in order. Returns true if another tick can make progress
  // without new source, or if this tick freed a slot.
  virtual bool tick(std::vector<Write>& writes) = 0;
};

struct TranslatorOptions {
  std::string device = "auto";  // "cpu", "cuda", or "auto": CUDA if there is a device
  // "auto", "float32" or "int8" (CPU with AVX2). "auto" is the fastest: half precision on
  // CUDA, int8 on a CPU that supports it, otherwise float32.
  std::string precision = "auto";
  int threads = 0;  // on the CPU; 0: one for each available processor
  // Number of slots. On the CPU, memory is allocated as sentences grow, see model/cpu/kv_cache.h.
  // On CUDA it is allocated at the start; if it does not suffice there are fewer slots, see
  // ModelInfo.
  int max_sentences = 256;
  int max_source_tokens = 512;  // longest sentence; the model may have a lower limit
};

// Loads a model package (model/package/package.h) and prepares it: weights on the device, shapes
// warmed up. Throws std::runtime_error with one line that names the file, the tensor and what is
// wrong, or std::invalid_argument with the allowed devices and precisions. Defined in model/loader
// (link surtitle_loader).
std::unique_ptr<Translator> load_translator(const std::filesystem::path& package,
                                            const TranslatorOptions& options);

// The same for several threads that do not wait for each other, such as those of
// translate_offline(). On the CPU, they share the weights and divide options.threads and
// options.max_sentences among them: each has a thread or more and six sentences or more. On CUDA,
// with one thread, or with fewer than twelve sentences, returns one translator.
std::vector<std::unique_ptr<Translator>> load_translators(const std::filesystem::path& package,
                                                          const TranslatorOptions& options);

}  // namespace surtitle
