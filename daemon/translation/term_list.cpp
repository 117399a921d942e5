#include "daemon/translation/term_list.h"

#include <algorithm>
#include <iterator>

#include "daemon/translation/characters.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

std::u32string to_characters(std::string_view text) {
  std::u32string characters;
  each_character(text,
                 [&](char32_t character, std::string_view /*bytes*/) { characters += character; });
  return characters;
}

std::string to_utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t character : characters) {
    append_utf8(character, text);
  }
  return text;
}

std::u32string without_case(std::u32string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char32_t c) { return folded(c); });
  return text;
}

bool is_word_character(char32_t character) {
  return u_isalnum(icu_code(character)) != 0 ||
         u_charType(icu_code(character)) == U_NON_SPACING_MARK;
}

bool is_hyphen(char32_t character) {
  return character == U'-' || character == U'\u2010' || character == U'\u2011';
}

bool is_apostrophe(char32_t character) { return character == U'\'' || character == U'\u2019'; }

// Whether a term may end before this rest of its word: before punctuation, before "'s", and before
// the next part of a compound.
bool may_follow(std::u32string_view rest) {
  if (rest.empty() || is_hyphen(rest.front())) {
    return true;
  }
  if (is_apostrophe(rest.front())) {
    rest.remove_prefix(1);
    rest.remove_prefix(rest.starts_with(U's') ? 1 : 0);
  }
  return std::all_of(rest.begin(), rest.end(),
                     [](char32_t c) { return u_ispunct(icu_code(c)) != 0; });
}

std::vector<std::u32string> endings_of(std::string_view language) {
  if (language.substr(0, 2) == "de") {
    return {U"ens", U"nen", U"en", U"er", U"es", U"em", U"ern", U"e", U"n", U"s"};
  }
  return {U"es", U"s"};
}

}  // namespace

TermList::TermList(const protocol::Glossary& glossary, std::string_view language)
    : endings_(endings_of(language)) {
  for (const protocol::GlossaryEntry& entry : glossary) {
    Term term;
    term.target = entry.target;
    for (std::string_view word : split_words(entry.source)) {
      Term::Word one;
      one.endings = word.size() > 1 && word.ends_with('*') &&
                    word.find_first_not_of('*') != std::string_view::npos;
      word.remove_suffix(one.endings ? 1 : 0);
      term.source += (term.source.empty() ? "" : " ") + std::string(word);
      one.text = to_characters(word);
      one.folded = without_case(one.text);
      one.any_case = one.text == one.folded;
      term.words.push_back(std::move(one));
    }
    if (term.words.empty() || term.words.front().folded.empty()) {
      continue;
    }
    term.kept = term.source == entry.target || entry.is_mask();
    by_first_.emplace(term.words.front().folded.front(), terms_.size());
    terms_.push_back(std::move(term));
  }
}

// Returns the position after the pattern, or nullopt if the word does not have it there.
std::optional<std::size_t> TermList::match_word(const Term::Word& pattern, std::u32string_view word,
                                                std::size_t at, bool spoken) const {
  const bool folds = spoken || pattern.any_case;
  const std::u32string& text = folds ? pattern.folded : pattern.text;
  if (word.size() - at < text.size() ||
      !std::equal(
          text.begin(), text.end(), word.begin() + static_cast<std::ptrdiff_t>(at),
          [&](char32_t one, char32_t other) { return one == (folds ? folded(other) : other); })) {
    return std::nullopt;
  }
  return at + text.size();
}

// As match_word(), with an ending and what may follow a term.
std::optional<std::size_t> TermList::match_last(const Term::Word& pattern, std::u32string_view word,
                                                std::size_t at, bool spoken) const {
  const std::optional<std::size_t> end = match_word(pattern, word, at, spoken);
  if (!end || may_follow(word.substr(*end))) {
    return end;
  }
  const std::u32string rest =
      pattern.endings ? without_case(std::u32string(word.substr(*end))) : U"";
  for (const std::u32string& ending : endings_) {
    if (rest.starts_with(ending) && may_follow(std::u32string_view(rest).substr(ending.size()))) {
      return *end + ending.size();
    }
  }
  return std::nullopt;
}

std::vector<const TermList::Term*> TermList::candidates(std::u32string_view word,
                                                        std::size_t at) const {
  std::vector<const Term*> terms;
  const auto [begin, end] = by_first_.equal_range(folded(word[at]));
  for (auto one = begin; one != end; ++one) {
    terms.push_back(&terms_[one->second]);
  }
  return terms;
}

namespace {

// Returns the places of a word where a term may begin: at its signs, at its first letter, and after
// a hyphen.
std::vector<std::size_t> beginnings(std::u32string_view word) {
  std::vector<std::size_t> places;
  bool begins = true;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (begins) {
      places.push_back(i);
    }
    begins = is_hyphen(word[i]) || (begins && !is_word_character(word[i]));
  }
  return places;
}

}  // namespace

std::optional<TermList::Match> TermList::match(const Term& term,
                                               const std::vector<std::u32string>& words,
                                               std::size_t at, bool spoken) const {
  const std::size_t count = term.words.size();
  if (count > words.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const auto end = match_last(term.words[i], words[i], i == 0 ? at : 0, spoken);
    if (!end || *end != words[i].size()) {
      return std::nullopt;
    }
  }
  const std::u32string& last = words[count - 1];
  const auto end = match_last(term.words.back(), last, count == 1 ? at : 0, spoken);
  if (!end) {
    return std::nullopt;
  }
  return Match{&term, count, to_utf8(words.front().substr(0, at)), to_utf8(last.substr(*end))};
}

std::optional<TermList::Match> TermList::find(std::span<const std::string> words,
                                              bool spoken) const {
  std::vector<std::u32string> texts;
  for (const std::string& word : words) {
    texts.push_back(to_characters(word));
  }
  std::optional<Match> best;
  std::size_t longest = 0;
  for (const std::size_t at : beginnings(texts.front())) {
    for (const Term* term : candidates(texts.front(), at)) {
      std::optional<Match> one = match(*term, texts, at, spoken);
      if (one && (!best || one->words > best->words ||
                  (one->words == best->words && term->source.size() > longest))) {
        longest = term->source.size();
        best = std::move(one);
      }
    }
  }
  return best;
}

bool TermList::may_continue(std::span<const std::string> words, bool spoken) const {
  std::vector<std::u32string> texts;
  for (const std::string& word : words) {
    texts.push_back(to_characters(word));
  }
  for (const std::size_t at : beginnings(texts.front())) {
    for (const Term* term : candidates(texts.front(), at)) {
      bool matches = term->words.size() > texts.size();
      for (std::size_t i = 0; matches && i < texts.size(); ++i) {
        const auto end = match_last(term->words[i], texts[i], i == 0 ? at : 0, spoken);
        matches = end && *end == texts[i].size();
      }
      if (matches) {
        return true;
      }
    }
  }
  return false;
}

std::shared_ptr<const TermList> make_terms(const protocol::Glossary& glossary,
                                           std::string_view language) {
  if (glossary.empty()) {
    return nullptr;
  }
  protocol::Glossary terms;
  for (const protocol::GlossaryEntry& entry : glossary) {
    terms.push_back(entry.is_mask() ? protocol::GlossaryEntry{entry.target, entry.target} : entry);
  }
  return std::make_shared<const TermList>(protocol::merge({}, terms), language);
}

std::shared_ptr<const TermList> make_masks(const protocol::Glossary& glossary,
                                           std::string_view language) {
  protocol::Glossary masks;
  std::copy_if(glossary.begin(), glossary.end(), std::back_inserter(masks),
               [](const protocol::GlossaryEntry& entry) { return entry.is_mask(); });
  return masks.empty() ? nullptr : std::make_shared<const TermList>(masks, language);
}

std::string masked(const TermList& masks, std::string_view word) {
  std::string rest(word);
  std::string shown;
  while (auto match = rest.empty() ? std::nullopt : masks.find({&rest, 1}, /*spoken=*/true)) {
    shown += match->before + match->term->target;
    rest = match->after;
  }
  return shown + rest;
}

std::string masked_text(const TermList& masks, std::string_view text) {
  std::string shown;
  for (const std::string_view word : split_words(text)) {
    shown += (shown.empty() ? "" : " ") + masked(masks, word);
  }
  return shown;
}

}  // namespace surtitle
