// The terms of a glossary, and figures, in one sentence, on the way to the model and back.
//
// The translation of a term that a model has never seen is unpredictable. But the model copies some
// invented words, the placeholders of its package. So a term is replaced by a placeholder before
// the model, and the placeholder by the term's translation after it. A word is held only while a
// longer term may follow, and written text only while it may be a placeholder.
//
// The model reads numbers and clock times in figures (figures.h), unless a term has them.
//
// The result depends on the words of the sentence and the glossary alone, never on timing.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/translation/figures.h"
#include "daemon/translation/term_list.h"

namespace surtitle {

// The glossary of a sentence, as its model needs it.
struct SentenceGlossary {
  std::shared_ptr<const TermList> terms;           // nullptr: there is no glossary
  std::vector<std::string> placeholders;           // of the model
  bool spoken = false;                             // the source is in spoken form
  bool english = false;                            // the target is English: "a" and "an"
  FigureLanguage figures = FigureLanguage::kNone;  // the source's

  bool has_terms() const noexcept { return terms != nullptr && !terms->empty(); }
  bool empty() const noexcept { return !has_terms() && figures == FigureLanguage::kNone; }
};

// The text of a source word for the model. nullopt: the word itself. Empty for all words of a term
// but the last.
using ModelText = std::optional<std::string>;

class SentenceTerms {
 public:
  explicit SentenceTerms(SentenceGlossary glossary = {});

  bool empty() const noexcept { return glossary_.empty(); }

  // --- source ---
  // Adds the next word. Returns the texts of the oldest words that are decided now.
  std::vector<ModelText> add(std::string_view word);
  // No word follows. Returns the texts of the words that are held.
  std::vector<ModelText> end();

  // Adds the placeholders and terms that `further` expects in the translation. `further`: a copy of
  // this object that has read more words.
  void add_expected(const SentenceTerms& further);

  // --- target ---
  // The translation begins with text that was written before.
  void begin(std::string_view text);
  // Adds text of the translation. Returns the text that is known now.
  std::string write(std::string_view text);
  // The translation is complete. Returns the text that is held.
  std::string finish();

  // The number of terms in the source, and of those that were written.
  int found() const noexcept { return found_; }
  int written() const noexcept;

 private:
  // A word of the translation that stands for a term, in this sentence.
  struct Expected {
    std::string pattern;  // a placeholder, or the term itself if there is none left
    std::string target;
    bool kept = false;
    bool placeholder = false;
    std::string folded = {};  // the pattern in lower case
    int found = 0;
    int written = 0;
  };

  std::vector<ModelText> decide(bool all);
  bool may_continue() const;
  std::size_t decide_first(std::vector<ModelText>& decided, bool ends);
  std::string replaced(std::string word, std::optional<TermList::Match> match);
  std::string part(const std::string& text) const;
  std::string literal(const std::string& word);
  std::optional<std::string> placeholder_for(const std::string& target, bool kept, bool term);
  Expected& expect(Expected expected);
  Expected* find_expected(std::string_view text);
  void write(char32_t character, std::string_view bytes, std::string& out);
  bool decide_held(bool alphanumeric, std::string_view last, std::string& out);
  void emit(std::string_view text, std::string& out);
  void emit_term(Expected& term, std::string_view article, std::string& out);

  SentenceGlossary glossary_;
  std::vector<std::string> held_words_;
  std::vector<std::string> previous_;  // the last words before them
  std::vector<Expected> expected_;
  std::vector<std::string> blocked_;  // placeholders that are words of the source
  int found_ = 0;

  std::string held_;          // text that may still be a placeholder, with the space before it
  bool inside_word_ = false;  // of text that is no placeholder
  bool after_term_ = false;   // the text ends with the translation of a term
  bool begun_ = false;        // the text has a letter or digit
};

}  // namespace surtitle
