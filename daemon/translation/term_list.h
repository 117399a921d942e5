// The terms of a glossary, prepared to be found in source words.
//
// Thread-safety: immutable after construction; share it freely.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol/glossary.h"

namespace surtitle {

class TermList {
 public:
  // `language`: the source's, for inflectional endings.
  TermList(const protocol::Glossary& glossary, std::string_view language);

  bool empty() const noexcept { return terms_.empty(); }

  struct Term {
    std::string source;  // as in the glossary, without signs for endings
    std::string target;
    bool kept = false;  // the term is its own translation

   private:
    friend class TermList;
    struct Word {
      std::u32string text;    // folded if `any_case`
      std::u32string folded;  // for text without case
      bool any_case = false;
      bool endings = false;
    };
    std::vector<Word> words;
  };

  // A term found in source words: its first `words` words, without what precedes it in the first
  // and follows it in the last one.
  struct Match {
    const Term* term = nullptr;
    std::size_t words = 0;
    std::string before;  // "(", or "Demo-" of a compound
    std::string after;   // ",", or "-Server"
  };

  // Returns the longest term that begins with the first word. `spoken`: case does not matter.
  // REQUIRES: valid UTF-8, at least one word.
  std::optional<Match> find(std::span<const std::string> words, bool spoken) const;

  // Returns whether these words may be the beginning of a term that has more words.
  bool may_continue(std::span<const std::string> words, bool spoken) const;

 private:
  std::vector<const Term*> candidates(std::u32string_view word, std::size_t at) const;
  std::optional<std::size_t> match_word(const Term::Word& pattern, std::u32string_view word,
                                        std::size_t at, bool spoken) const;
  std::optional<std::size_t> match_last(const Term::Word& pattern, std::u32string_view word,
                                        std::size_t at, bool spoken) const;
  std::optional<Match> match(const Term& term, const std::vector<std::u32string>& words,
                             std::size_t at, bool spoken) const;

  std::vector<Term> terms_;
  std::multimap<char32_t, std::size_t> by_first_;  // folded first character
  std::vector<std::u32string> endings_;            // the longest first
};

// Returns the terms of a glossary, or nullptr if it is empty. An entry that masks a term stands for
// its mask, because the source is masked before.
std::shared_ptr<const TermList> make_terms(const protocol::Glossary& glossary,
                                           std::string_view language);

// Returns the masks of a glossary, or nullptr if it has none.
std::shared_ptr<const TermList> make_masks(const protocol::Glossary& glossary,
                                           std::string_view language);

// Returns a word in which a mask of the glossary replaces the masked term: "***," for "Geheimnis,".
// Other words stay. REQUIRES: `masks` has only masks; valid UTF-8.
std::string masked(const TermList& masks, std::string_view word);

// As above, for the words of a text.
std::string masked_text(const TermList& masks, std::string_view text);

}  // namespace surtitle
