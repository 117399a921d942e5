// A translator and a tokenizer for tests: deterministic, instant, without a model.
//
// A word is encoded as its first four characters and the rest ("▁gute" "n"), so that words and
// tokens differ. The translation of a sentence is the sentence itself, token by token, with its
// ASCII letters in capitals: "Guten Morgen." becomes "GUTEN MORGEN.". The policy decides when a
// token is written; target token i counts as aligned to source token i. A token is never written
// before its source token was read. The writes therefore depend on the source tokens and the policy
// alone, as model/engine/translator.h requires.
//
// If attention is recorded, it has two layers. The lower one attends to source token i alone and is
// aligned there. The upper one attends equally to all tokens that the step sees, and has no
// alignment.
//
// A watched sentence reports the probabilities of `start`.
//
// Into another target language than the first one, words are written as they are.
//
// Some source words have an effect:
//   "xx-refuse"  read() throws
//   "xx-break"   the next tick() throws, for all sentences
//   "xx-hang"    the next tick() never returns
//   "xx-stall"   the next tick() takes a second
//   "xx-silent"  the word has no tokens but those of the signs after it
//   "xx-bytes"   the word is written as a byte piece that never becomes a character
//   "xx-omit"    the translation ends before the word, unless it is the first one
//   "xx-mute"    the translation ends before the word
// Of the first four, the first four characters suffice: "xx-stop" stalls.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/base/text.h"
#include "model/engine/translator.h"
#include "model/text/tokenizer.h"

namespace surtitle {

// The id of a piece is a hash of the piece, and so the same in all processes. A word in capitals is
// known once the word was encoded. Thread-safety: full.
class ScriptedTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view kWordBegin = "\u2581";
  static constexpr int kFirstPiece = 4;

  std::vector<int> encode_word(std::string_view word) const override {
    constexpr std::string_view kSilent = "xx-silent";
    if (word.starts_with(kSilent)) {
      word.remove_prefix(kSilent.size());
    }
    if (word == "xx-bytes") {
      return {id("<0xE2>")};
    }
    std::vector<int> tokens;
    std::size_t begin = 0;
    while (begin < word.size()) {
      const std::size_t end = skip_characters(word, begin, begin == 0 ? 4 : 32);
      const std::string piece =
          std::string(begin == 0 ? kWordBegin : "") + std::string(word.substr(begin, end - begin));
      tokens.push_back(id(piece));
      id(capitals(piece));
      begin = end;
    }
    return tokens;
  }

  std::string_view piece(int token) const override {
    const std::lock_guard lock(mutex_);
    const auto piece = pieces_.find(token);
    return piece == pieces_.end() ? std::string_view() : piece->second;
  }

  int vocabulary_size() const override { return std::numeric_limits<int>::max(); }

  static std::string capitals(std::string piece) {
    std::transform(piece.begin(), piece.end(), piece.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return piece;
  }

  int id(const std::string& piece) const {
    constexpr std::uint32_t kBasis = 2166136261;  // FNV-1a
    constexpr std::uint32_t kPrime = 16777619;
    constexpr std::uint32_t kPositive = 0x3fffffff;
    std::uint32_t hash = kBasis;
    for (const char c : piece) {
      hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
    }
    const std::lock_guard lock(mutex_);
    int id = kFirstPiece + static_cast<int>(hash & kPositive);
    while (pieces_.try_emplace(id, piece).first->second != piece) {
      ++id;
    }
    return id;
  }

 private:
  static std::size_t skip_characters(std::string_view word, std::size_t at, int characters) {
    for (; characters > 0 && at < word.size(); --characters) {
      do {
        ++at;
      } while (at < word.size() && character_begin(word, at) != at);
    }
    return at;
  }

  mutable std::mutex mutex_;
  mutable std::map<int, std::string> pieces_;  // by id; its texts never move
};

struct ScriptedOptions {
  std::string name = "scripted";
  int max_source_tokens = 512;
  int max_sentences = 64;
  std::string source_language = "de";
  std::string target_language = "en";
  std::vector<std::string> other_targets = {};
  std::vector<std::string> policies = {"gma"};
  std::vector<TextForm> source_forms = {TextForm::kWritten};
  std::function<void()> before_step;  // for tests that hold up the loop
  bool supports_attention = true;
  bool obeys_words = true;  // the effects above; off in fuzz targets, which would find them
  std::chrono::microseconds token_time{0};  // for each token that is read or written
  // The probability that a word begins a sentence, by the source tokens up to its last one. Empty:
  // the model has no such classifier.
  std::function<float(std::span<const int>)> start = {};
  std::vector<std::string> placeholders = {"X7", "X4"};
  std::string replaced_policy = {};  // see ModelInfo
  std::string licence = "MIT";
  std::string origin = {};
};

// Returns probabilities for ScriptedOptions::start that look random. One word in six more likely
// than not begins a sentence.
inline std::function<float(std::span<const int>)> random_starts(std::uint32_t seed = 0) {
  return [seed](std::span<const int> tokens) {
    constexpr std::uint32_t kPrime = 16777619;
    constexpr std::uint32_t kValues = 600;
    std::uint32_t hash = seed;
    for (const int token : tokens) {
      hash = (hash ^ static_cast<std::uint32_t>(token)) * kPrime;
      hash ^= hash >> 15U;
    }
    const auto value = static_cast<float>(hash % kValues) / kValues;
    return hash % 6 == 0 ? 0.5F + value / 2 : value / 2;
  };
}

class ScriptedTranslator : public Translator {
 public:
  ScriptedTranslator(std::shared_ptr<const ScriptedTokenizer> tokenizer, ScriptedOptions options)
      : tokenizer_(std::move(tokenizer)),
        options_(std::move(options)),
        info_{options_.name,
              options_.source_language,
              options_.target_language,
              options_.policies,
              options_.policies.front(),
              options_.source_forms,
              options_.max_source_tokens,
              options_.max_sentences,
              options_.supports_attention,
              options_.start != nullptr,
              options_.start != nullptr,
              kDefaultTrainedWords,
              options_.placeholders,
              options_.replaced_policy,
              options_.replaced_policy.empty(),
              options_.other_targets,
              options_.licence,
              options_.origin},
        slots_(static_cast<std::size_t>(options_.max_sentences)) {}

  const ModelInfo& info() const noexcept override { return info_; }

  std::optional<SentenceId> open(PolicyPtr policy) override {
    const auto slot = std::find(slots_.begin(), slots_.end(), std::nullopt);
    if (slot == slots_.end()) {
      return std::nullopt;
    }
    slot->emplace().policy = std::move(policy);
    return static_cast<SentenceId>(slot - slots_.begin());
  }

  void translate_into(SentenceId sentence, int target) override {
    require(at(sentence).source.empty(), "translate_into after read");
    at(sentence).target = target;
  }

  void record_attention(SentenceId sentence) override {
    at(sentence).attention = info_.supports_attention;
  }

  void watch_starts(SentenceId sentence) override {
    require(info_.watches_starts && at(sentence).source.empty(), "watch_starts after read");
    at(sentence).watched.emplace();
  }

  void force(SentenceId sentence, std::vector<int> tokens) override {
    require(at(sentence).written == 0, "force after a write");
    at(sentence).forced = std::move(tokens);
  }

  void share_source(SentenceId sentence, SentenceId other) override {
    require(at(other).policy && at(sentence).source.empty(), "share_source after read");
    ++shared_sources_;
  }
  // The number of calls of share_source().
  int shared_sources() const noexcept { return shared_sources_; }

  void read(SentenceId sentence, std::span<const int> tokens) override {
    Slot& slot = at(sentence);
    require(!slot.finished, "read after finish");
    slot.source.insert(slot.source.end(), tokens.begin(), tokens.end());
    if (slot.watched) {
      slot.watched->push_back(slot.source.size());
    }
    reads_ += static_cast<int>(tokens.size());
    stall_ = stall_ || contains(tokens, "xx-s");
    require(slot.source.size() <= static_cast<std::size_t>(info_.max_source_tokens),
            "more source tokens than max_source_tokens");
    require(!contains(tokens, "xx-r"), "xx-refuse was read");
  }

  void finish(SentenceId sentence) override {
    require(!at(sentence).finished, "finish after finish");
    at(sentence).finished = true;
  }

  bool waits_for_source(SentenceId sentence) const override {
    return !can_write(*slots_[static_cast<std::size_t>(sentence)]);
  }

  void close(SentenceId sentence) override {
    at(sentence);
    slots_[static_cast<std::size_t>(sentence)].reset();
  }

  bool tick(std::vector<Write>& writes) override {
    if (options_.before_step) {
      options_.before_step();
    }
    bool more = false;
    const std::size_t before = writes.size();
    if (std::exchange(stall_, false)) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] && slots_[i]->watched) {
        report_starts(static_cast<SentenceId>(i), *slots_[i], writes);
      } else if (slots_[i] && can_write(*slots_[i])) {
        require(!contains(slots_[i]->source, "xx-b"), "xx-break was read");
        while (contains(slots_[i]->source, "xx-h")) {
          std::this_thread::sleep_for(std::chrono::hours(1));
        }
        const auto forced = static_cast<int>(slots_[i]->forced.size());
        const int index = slots_[i]->written;
        const Write written = write(static_cast<SentenceId>(i), *slots_[i]);
        require(
            index >= forced || slots_[i]->forced[static_cast<std::size_t>(index)] == written.token,
            "forced tokens that it never writes");
        if (index >= forced) {
          writes.push_back(written);
        }
        more = more || can_write(*slots_[i]);
      }
    }
    if (options_.token_time.count() > 0) {
      std::this_thread::sleep_for((std::exchange(reads_, 0) + (writes.size() - before)) *
                                  options_.token_time);
    }
    return more;
  }

 private:
  struct Slot {
    PolicyPtr policy;
    std::vector<int> source;
    int target = 0;
    bool finished = false;
    int written = 0;
    bool ended = false;
    bool attention = false;
    std::vector<int> forced = {};
    std::optional<std::vector<std::size_t>> watched = {};  // ends of words that are not reported

    bool operator==(const Slot&) const = default;
  };

  static void require(bool condition, const char* what) {
    if (!condition) {
      throw std::runtime_error(what);
    }
  }

  Slot& at(SentenceId sentence) {
    require(sentence >= 0 && static_cast<std::size_t>(sentence) < slots_.size() &&
                slots_[static_cast<std::size_t>(sentence)].has_value(),
            "the sentence is not open");
    return *slots_[static_cast<std::size_t>(sentence)];
  }

  bool contains(std::span<const int> tokens, std::string_view word) const {
    return options_.obeys_words && std::any_of(tokens.begin(), tokens.end(), [&](int token) {
             return tokenizer_->piece(token) ==
                    std::string(ScriptedTokenizer::kWordBegin) + std::string(word);
           });
  }

  // The number of source tokens that the next step sees, with the end-of-sentence token.
  static int needed(const Slot& slot) {
    return std::max(slot.written + 1, slot.policy->visible_source(slot.written, slot.written));
  }

  bool can_write(const Slot& slot) const {
    return !slot.ended && (slot.finished || (needed(slot) <= static_cast<int>(slot.source.size()) &&
                                             !omits_rest(slot)));
  }

  bool omits_rest(const Slot& slot) const {
    const auto next = static_cast<std::size_t>(slot.written);
    if (next >= slot.source.size()) {
      return false;
    }
    const auto word = std::span(slot.source).subspan(next, 1);
    return contains(word, "xx-m") || (slot.written > 0 && contains(word, "xx-o"));
  }

  void report_starts(SentenceId sentence, Slot& slot, std::vector<Write>& writes) const {
    for (const std::size_t end : std::exchange(*slot.watched, {})) {
      Write write{.sentence = sentence, .read = static_cast<int>(end)};
      write.start = options_.start(std::span(slot.source).first(end));
      writes.push_back(std::move(write));
    }
    if (slot.finished && !std::exchange(slot.ended, true)) {
      writes.push_back({.sentence = sentence, .end = true});
    }
  }

  Write write(SentenceId sentence, Slot& slot) {
    const int length = static_cast<int>(slot.source.size());
    const int read = std::min(needed(slot), length + 1);
    const auto attention = slot.attention ? attention_of(slot.written, read) : nullptr;
    if (slot.written == length || omits_rest(slot)) {
      slot.ended = true;
      return {sentence, 0, length + 1, /*end=*/true, attention};
    }
    const int token = slot.source[static_cast<std::size_t>(slot.written++)];
    return {sentence, slot.target == 0 ? capitals(token) : token, read, /*end=*/false, attention};
  }

  static std::shared_ptr<const StepAttention> attention_of(int target_index, int read) {
    const auto visible = static_cast<std::size_t>(read);
    std::vector<float> aligned(visible);
    aligned[static_cast<std::size_t>(target_index)] = 1;
    const std::vector<float> even(visible, 1 / static_cast<float>(read));
    return std::make_shared<const StepAttention>(
        StepAttention{{std::move(aligned), {static_cast<float>(target_index)}}, {even, {}}});
  }

  int capitals(int token) const {
    const std::string piece(tokenizer_->piece(token));
    return piece.starts_with("<0x") ? token : tokenizer_->id(ScriptedTokenizer::capitals(piece));
  }

  const std::shared_ptr<const ScriptedTokenizer> tokenizer_;
  const ScriptedOptions options_;
  const ModelInfo info_;
  int shared_sources_ = 0;
  int reads_ = 0;  // since the last step
  bool stall_ = false;
  std::vector<std::optional<Slot>> slots_;
};

}  // namespace surtitle
