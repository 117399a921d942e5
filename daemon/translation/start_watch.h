// The words of spoken text that wait for the probability that they begin a sentence.
//
// A model with the classifier reports that probability for each word of the open sentence. The
// words are read for it by a sentence of its own in the translator, the watch
// (Translator::watch_starts()). A word is held back from the tracks until the session knows whether
// it ends the sentence. If it does, its watch is closed. The words behind it are read again by the
// watch of the next sentence.
//
// The probability depends on the words of the sentence and the model alone. Words wait in order,
// and a sentence's end on request or by silence waits between them. Without an open watch no word
// waits.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/clock.h"
#include "daemon/translation/translation_command.h"

namespace surtitle {

// When a word was said and when it arrived.
struct WordTime {
  double clock = 0;  // the source's, in seconds
  TimePoint arrival = {};
};

// Words that arrived together and follow each other without a space (model/text/word_runs.h), and
// the place of one of them. nullptr: the word is alone.
struct WordRun {
  std::shared_ptr<const std::vector<std::string>> words = nullptr;
  std::size_t place = 0;
};

class StartWatch {
 public:
  using Commands = std::map<std::size_t, std::vector<TranslationCommand>>;  // by model

  struct Word {
    std::string text;  // empty: the sentence ends here
    WordTime time = {};
    // Its index among the words of a hypothesis, and the number of the hypothesis, if it is of one.
    std::size_t index = 0;
    std::optional<int> hypothesis = std::nullopt;
    std::optional<float> start = std::nullopt;  // the probability, if the model reports one
    WordRun run = {};
    bool in_capitals = false;  // see capitals.h
  };

  void add(Word word) { words_.push_back({std::move(word)}); }
  // Whether no word waits.
  bool empty() const noexcept { return words_.empty(); }
  int words() const noexcept { return static_cast<int>(words_.size()); }

  // Whether a word waits, and the first one has its probability or will have none.
  bool ready() const;
  // Removes the first word and returns it. REQUIRES: ready().
  Word next();

  // --- the open sentence ---
  bool open() const noexcept { return open_.has_value(); }
  // Begins the watch of a sentence with the tokens of its first word. `limit`: of the tokens.
  // REQUIRES: not open.
  void begin(const SentenceKey& key, std::size_t model, int limit, std::vector<int> tokens,
             Commands& commands);
  // Ends the watch, if it is open.
  void end(Commands& commands);
  // Sends the first waiting words to the watch. `encode` returns a word's tokens. A word without
  // tokens, or with too many, gets no probability.
  void ask(const std::function<std::vector<int>(std::string_view)>& encode, Commands& commands);

  // Handles an event of the watch.
  void translated(const TranslationEvent& event);

  // Adds commands that open the watch in a translator that does not have it.
  void open_again(Commands& commands) const;
  // Adds the watch, if it is open, to the sentences in the translators.
  void add_open_sentence(std::map<std::size_t, std::vector<SentenceKey>>& keys) const;

 private:
  struct Waiting {
    Word word;
    bool asked = false;
    int end = 0;  // of the watch's tokens, with those of this word; 0: it gets no probability
  };
  struct Open {
    SentenceKey key;
    std::size_t model = 0;
    int limit = 0;
    int tokens = 0;
    std::vector<std::vector<int>> reads = {};  // the tokens of each word
  };

  void read(std::vector<int> tokens, Commands& commands);

  std::deque<Waiting> words_;
  std::optional<Open> open_;
};

}  // namespace surtitle
