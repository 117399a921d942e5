#include "model/engine/offline.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "model/text/word_delays.h"
#include "model/util/mutex.h"
#include "model/util/utf8.h"
#include "model/util/worker_pool.h"

namespace surtitle {
namespace {

// A source sentence in tokens.
struct Source {
  std::vector<int> tokens;
  SourceWordCounter words;
};

Source encode(const Tokenizer& tokenizer, const std::string& text, std::size_t line, int most) {
  const auto fail = [line](const std::string& what) {
    throw std::runtime_error("line " + std::to_string(line) + ": " + what);
  };
  if (!is_valid_utf8(text)) fail("the sentence is not UTF-8");
  Source source;
  TokenizedText tokenized = tokenize(tokenizer, text);
  source.tokens = std::move(tokenized.tokens);
  for (const int tokens : tokenized.word_tokens) source.words.append_word(tokens);
  if (source.words.tokens() > most) {
    fail("the sentence has " + std::to_string(source.words.tokens()) +
         " tokens; the model takes at most " + std::to_string(most));
  }
  return source;
}

// The sentences of all threads.
//
// Thread-safety: next_source(), finish() and stop() may be called from any thread. A sentence's
// source and translation belong to the thread that received it.
class OfflineWork {
 public:
  OfflineWork(std::vector<Source> sources, std::function<void(std::size_t)> progress)
      : sources_(std::move(sources)),
        translations_(sources_.size()),
        progress_(std::move(progress)) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      translations_[i].source_tokens = sources_[i].words.tokens();
      translations_[i].source_words = sources_[i].words.words();
      if (!sources_[i].tokens.empty()) order_.push_back(i);
    }
    std::ranges::stable_sort(order_, std::greater{},
                             [this](std::size_t i) { return sources_[i].tokens.size(); });
    finish(sources_.size() - order_.size());
  }

  std::size_t sentences() const { return order_.size(); }  // that have tokens
  const Source& source(std::size_t index) const { return sources_[index]; }
  OfflineTranslation& translation(std::size_t index) { return translations_[index]; }
  std::vector<OfflineTranslation> release_translations() { return std::move(translations_); }

  // Returns the longest sentence that is left, or nullopt.
  std::optional<std::size_t> next_source() {
    const MutexLock lock(mutex_);
    if (next_ == order_.size()) return std::nullopt;
    return order_[next_++];
  }

  // Counts sentences as finished.
  void finish(std::size_t count) {
    if (count == 0) return;
    const MutexLock lock(mutex_);
    finished_ += count;
    if (progress_) progress_(finished_);
  }

  // Leaves no more sentences to open. Threads finish those that they have.
  void stop() {
    const MutexLock lock(mutex_);
    next_ = order_.size();
  }

 private:
  const std::vector<Source> sources_;
  std::vector<OfflineTranslation> translations_;
  const std::function<void(std::size_t)> progress_;
  // Indices of sources_ with tokens, the longest first: a long sentence that opens last is computed
  // nearly alone.
  std::vector<std::size_t> order_;
  Mutex mutex_;
  std::size_t next_ GUARDED_BY(mutex_) = 0;  // of order_: source to open
  std::size_t finished_ GUARDED_BY(mutex_) = 0;
};

// Keeps up to `max_open` sentences open, if the translator allows, and collects its writes.
class OfflineRun {
 public:
  // `tokenizer` is the target's.
  OfflineRun(Translator& translator, std::shared_ptr<const Tokenizer> tokenizer, PolicyPtr policy,
             OfflineWork& work, std::size_t max_open)
      : translator_(translator),
        tokenizer_(std::move(tokenizer)),
        policy_(std::move(policy)),
        work_(work),
        max_open_(std::min(max_open, static_cast<std::size_t>(translator.info().max_sentences))) {}
  OfflineRun(const OfflineRun&) = delete;
  OfflineRun& operator=(const OfflineRun&) = delete;
  // After a failure, closes all sentences that this run opened.
  ~OfflineRun() {
    for (const auto& [id, sentence] : open_) translator_.close(id);
  }

  void run() {
    std::vector<Write> writes;
    open_more();
    while (!open_.empty()) {
      writes.clear();
      const bool can_move = translator_.tick(writes);
      const auto before = open_.size();
      for (const Write& write : writes) apply(write);
      if (writes.empty() && !can_move) {
        throw std::runtime_error(
            "the translator stopped in mid-sentence: no step can move and no source is left");
      }
      work_.finish(before - open_.size());
      open_more();
    }
  }

 private:
  struct OpenSentence {
    std::size_t index;
    Detokenizer text;
    TargetWords words;
    int last_read = 0;  // in source words
  };

  // New sentences open, and are encoded, in groups: more rows pass through a matrix together.
  void open_more() {
    constexpr std::size_t kGroups = 8;
    if (!open_.empty() && open_.size() + max_open_ / kGroups > max_open_) return;
    while (open_.size() < max_open_) {
      if (!pending_) pending_ = work_.next_source();
      if (!pending_ || !open(*pending_)) return;
      pending_.reset();
    }
  }

  // Returns false if there is no slot.
  bool open(std::size_t index) {
    const std::optional<SentenceId> id = translator_.open(policy_);
    if (!id) {
      if (open_.empty())
        throw std::runtime_error(
            "the translator cannot open a sentence: all of its slots are in use");
      return false;
    }
    open_.emplace(*id, OpenSentence{index, Detokenizer(tokenizer_), {}, 0});
    translator_.read(*id, work_.source(index).tokens);
    translator_.finish(*id);
    return true;
  }

  void apply(const Write& write) {
    OpenSentence& sentence = open_.at(write.sentence);
    OfflineTranslation& translation = work_.translation(sentence.index);
    const SourceWordCounter& source = work_.source(sentence.index).words;
    translation.reads.push_back(write.read);
    if (write.end) {
      add_text(sentence, sentence.text.finish());
      translation.word_delays = sentence.words.delays();
      open_.erase(write.sentence);
      translator_.close(write.sentence);
      return;
    }
    translation.tokens.push_back(write.token);
    sentence.last_read = source.words_in(write.read);
    add_text(sentence, sentence.text.write(write.token));
  }

  void add_text(OpenSentence& sentence, const std::string& delta) {
    work_.translation(sentence.index).text += delta;
    sentence.words.write(delta, sentence.last_read);
  }

  Translator& translator_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  PolicyPtr policy_;
  OfflineWork& work_;
  std::size_t max_open_;
  std::unordered_map<SentenceId, OpenSentence> open_;
  std::optional<std::size_t> pending_;  // from work_, without a slot as yet
};

}  // namespace

std::vector<OfflineTranslation> translate_offline(
    std::span<const std::unique_ptr<Translator>> translators, const Tokenizers& tokenizers,
    std::span<const std::string> sources, const PolicyPtr& policy,
    const std::function<void(std::size_t)>& progress) {
  std::vector<Source> encoded;
  encoded.reserve(sources.size());
  for (const std::string& source : sources) {
    encoded.push_back(encode(*tokenizers.source, source, encoded.size() + 1,
                             translators.front()->info().max_source_tokens));
  }
  OfflineWork work(std::move(encoded), progress);
  // Otherwise the first thread would open a short list whole.
  const auto max_open = (work.sentences() + translators.size() - 1) / translators.size();
  const auto count = static_cast<int>(translators.size());
  WorkerPool(count).run(count, [&](int i) {
    OfflineRun run(*translators[static_cast<std::size_t>(i)], tokenizers.target, policy, work,
                   max_open);
    try {
      run.run();
    } catch (...) {
      work.stop();
      throw;
    }
  });
  return work.release_translations();
}

}  // namespace surtitle
