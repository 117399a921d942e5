#include "model/engine/offline.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "model/text/word_delays.h"
#include "model/util/utf8.h"

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

// Keeps as many sentences open as the translator allows, and collects its writes.
class OfflineRun {
 public:
  // `tokenizer` is the target's.
  OfflineRun(Translator& translator, std::shared_ptr<const Tokenizer> tokenizer,
             std::vector<Source> sources, PolicyPtr policy)
      : translator_(translator),
        tokenizer_(std::move(tokenizer)),
        policy_(std::move(policy)),
        sources_(std::move(sources)),
        order_(sources_.size()),
        translations_(sources_.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, std::greater{},
                             [this](std::size_t i) { return sources_[i].tokens.size(); });
  }
  OfflineRun(const OfflineRun&) = delete;
  OfflineRun& operator=(const OfflineRun&) = delete;
  // After a failure, closes all sentences that this run opened.
  ~OfflineRun() {
    for (const auto& [id, sentence] : open_) translator_.close(id);
  }

  std::vector<OfflineTranslation> run(const std::function<void(std::size_t)>& progress) {
    std::vector<Write> writes;
    std::size_t reported = 0;
    open_more();
    while (!open_.empty()) {
      writes.clear();
      const bool can_move = translator_.tick(writes);
      for (const Write& write : writes) apply(write);
      if (writes.empty() && !can_move) {
        throw std::runtime_error(
            "the translator stopped in mid-sentence: no step can move and no source is left");
      }
      open_more();
      if (progress && finished_ != reported) progress(reported = finished_);
    }
    if (progress && finished_ != reported) progress(finished_);
    return std::move(translations_);
  }

 private:
  struct OpenSentence {
    std::size_t index;
    Detokenizer text;
    TargetWords words;
    int last_read = 0;  // in source words
  };

  // New sentences open, and are encoded, in groups: threads can divide a group equally.
  void open_more() {
    constexpr std::size_t kGroups = 8;
    const auto slots = static_cast<std::size_t>(translator_.info().max_sentences);
    if (!open_.empty() && open_.size() + slots / kGroups > slots) return;
    for (; next_ < order_.size(); ++next_) {
      const auto index = order_[next_];
      const Source& source = sources_[index];
      if (source.tokens.empty()) {
        describe_source(index);
        ++finished_;
        continue;
      }
      const std::optional<SentenceId> id = translator_.open(policy_);
      if (!id) {
        if (open_.empty())
          throw std::runtime_error(
              "the translator cannot open a sentence: all of its slots are in use");
        return;
      }
      open_.emplace(*id, OpenSentence{index, Detokenizer(tokenizer_), {}, 0});
      translator_.read(*id, source.tokens);
      translator_.finish(*id);
    }
  }

  void apply(const Write& write) {
    OpenSentence& sentence = open_.at(write.sentence);
    OfflineTranslation& translation = translations_[sentence.index];
    const SourceWordCounter& source = sources_[sentence.index].words;
    translation.reads.push_back(write.read);
    if (write.end) {
      add_text(sentence, sentence.text.finish());
      translation.word_delays = sentence.words.delays();
      describe_source(sentence.index);
      open_.erase(write.sentence);
      translator_.close(write.sentence);
      ++finished_;
      return;
    }
    translation.tokens.push_back(write.token);
    sentence.last_read = source.words_in(write.read);
    add_text(sentence, sentence.text.write(write.token));
  }

  void add_text(OpenSentence& sentence, const std::string& delta) {
    translations_[sentence.index].text += delta;
    sentence.words.write(delta, sentence.last_read);
  }

  void describe_source(std::size_t index) {
    translations_[index].source_tokens = sources_[index].words.tokens();
    translations_[index].source_words = sources_[index].words.words();
  }

  Translator& translator_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  PolicyPtr policy_;
  std::vector<Source> sources_;
  // Indices of sources_, the longest first: a long sentence that opens last is computed nearly
  // alone.
  std::vector<std::size_t> order_;
  std::vector<OfflineTranslation> translations_;
  std::unordered_map<SentenceId, OpenSentence> open_;
  std::size_t next_ = 0;  // of order_: source to open
  std::size_t finished_ = 0;
};

}  // namespace

std::vector<OfflineTranslation> translate_offline(
    Translator& translator, const Tokenizers& tokenizers, std::span<const std::string> sources,
    const PolicyPtr& policy, const std::function<void(std::size_t)>& progress) {
  std::vector<Source> encoded;
  encoded.reserve(sources.size());
  for (const std::string& source : sources) {
    encoded.push_back(encode(*tokenizers.source, source, encoded.size() + 1,
                             translator.info().max_source_tokens));
  }
  return OfflineRun(translator, tokenizers.target, std::move(encoded), policy).run(progress);
}

}  // namespace surtitle
