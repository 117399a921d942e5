#include "daemon/translation/sentence_terms.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "daemon/translation/characters.h"
#include "model/text/text_form.h"

namespace surtitle {
namespace {

bool is_alphanumeric(char32_t character) { return u_isalnum(icu_code(character)) != 0; }

std::string folded_text(std::string_view text) {
  std::string lower;
  each_character(text, [&](char32_t character, std::string_view /*bytes*/) {
    append_utf8(folded(character), lower);
  });
  return lower;
}

// Returns the runs of letters and digits of a word, in lower case.
std::vector<std::string> runs_of(std::string_view word) {
  std::vector<std::string> runs(1);
  each_character(word, [&](char32_t character, std::string_view bytes) {
    if (is_alphanumeric(character)) {
      runs.back() += bytes;
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  });
  std::transform(runs.begin(), runs.end(), runs.begin(),
                 [](const std::string& run) { return folded_text(run); });
  return runs;
}

std::string capitalised(std::string_view text) {
  std::string capital;
  each_character(text, [&](char32_t character, std::string_view bytes) {
    if (capital.empty()) {
      append_utf8(static_cast<char32_t>(u_totitle(icu_code(character))), capital);
    } else {
      capital += bytes;
    }
  });
  return capital;
}

// Returns the part of a word before or after a term in spoken form. The hyphen of a compound stays.
std::string spoken_part(std::string_view part) {
  const bool begins = part.starts_with('-');
  const bool ends = part.size() > 1 && part.ends_with('-');
  return (begins ? "-" : "") + spoken_word(part) + (ends || part == "-" ? "-" : "");
}

std::string_view without_space(std::string_view text) {
  return text.starts_with(' ') ? text.substr(1) : text;
}

// Returns "a" or "an" at the beginning of a text, or an empty text.
std::string_view article_of(std::string_view text) {
  for (const std::string_view article : {"an", "An", "a", "A"}) {
    if (text.starts_with(article) &&
        (text.size() == article.size() || text[article.size()] == ' ')) {
      return text.substr(0, article.size());
    }
  }
  return {};
}

// Returns whether "an" precedes the text: by its first sound, as far as letters tell.
bool begins_with_vowel(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" -"));
  const bool acronym = word.size() > 1 && std::all_of(word.begin(), word.end(),
                                                      [](char c) { return c >= 'A' && c <= 'Z'; });
  const std::string lower = folded_text(word);
  constexpr std::array<std::string_view, 4> kConsonants{"eu", "uni", "use", "one"};
  const bool consonant = std::any_of(kConsonants.begin(), kConsonants.end(),
                                     [&](auto begin) { return lower.starts_with(begin); });
  const std::string_view letters = acronym ? "aefhilmnorsx" : "aeiou";
  return !lower.empty() && letters.find(lower.front()) != letters.npos && (acronym || !consonant);
}

}  // namespace

SentenceTerms::SentenceTerms(SentenceGlossary glossary) : glossary_(std::move(glossary)) {}

// --- source ---

std::vector<ModelText> SentenceTerms::add(std::string_view word) {
  held_words_.emplace_back(word);
  return decide(/*all=*/false);
}

std::vector<ModelText> SentenceTerms::end() { return decide(/*all=*/true); }

std::vector<ModelText> SentenceTerms::decide(bool all) {
  std::vector<ModelText> decided;
  while (!held_words_.empty() && (all || !may_continue())) {
    const std::size_t words = decide_first(decided, all);
    const auto end = held_words_.begin() + static_cast<std::ptrdiff_t>(words);
    previous_.insert(previous_.end(), held_words_.begin(), end);
    previous_.erase(previous_.begin(),
                    previous_.end() - std::min(std::ssize(previous_), kPreviousWords));
    held_words_.erase(held_words_.begin(), end);
  }
  return decided;
}

bool SentenceTerms::may_continue() const {
  return (glossary_.has_terms() && glossary_.terms->may_continue(held_words_, glossary_.spoken)) ||
         may_continue_figures(glossary_.figures, held_words_);
}

// Adds the texts of the first held word, or of the term or the figures that it begins. `ends`: no
// word follows the held ones. Returns the number of these words.
std::size_t SentenceTerms::decide_first(std::vector<ModelText>& decided, bool ends) {
  const auto add = [&](std::size_t words, std::string text) {
    decided.resize(decided.size() + words - 1, ModelText(""));
    decided.emplace_back(std::move(text));
    return words;
  };
  const std::string& first = held_words_.front();
  const std::optional<TermList::Match> match =
      glossary_.has_terms() ? glossary_.terms->find(held_words_, glossary_.spoken) : std::nullopt;
  const std::optional<Figures> figures =
      match ? std::nullopt
            : find_figures(glossary_.figures, held_words_, previous_, glossary_.english, ends);
  if (figures) {
    return add(figures->words, part(figures->before) + figures->text + part(figures->after));
  }
  if (!match || match->words == 1) {
    std::string text = match ? replaced(first, match) : first;
    text = text == first && glossary_.has_terms() ? literal(text) : text;
    decided.push_back(text == first ? ModelText() : ModelText(std::move(text)));
    return 1;
  }
  ++found_;
  const std::optional<std::string> placeholder =
      placeholder_for(match->term->target, match->term->kept, /*term=*/true);
  if (placeholder) {
    return add(match->words, part(match->before) + *placeholder + part(match->after));
  }
  decided.resize(decided.size() + match->words);
  return match->words;
}

// Returns the word with placeholders in place of its terms.
std::string SentenceTerms::replaced(std::string word, std::optional<TermList::Match> match) {
  std::string text;
  while (match) {
    ++found_;
    const TermList::Term& term = *match->term;
    const std::string written =
        word.substr(match->before.size(), word.size() - match->before.size() - match->after.size());
    const std::optional<std::string> placeholder =
        placeholder_for(term.target, term.kept, /*term=*/true);
    if (!placeholder) {
      ++expect({written, term.target, term.kept, /*placeholder=*/false}).found;
    }
    text += part(match->before) + placeholder.value_or(written);
    word = match->after;
    match = word.empty() ? std::nullopt : glossary_.terms->find({&word, 1}, glossary_.spoken);
  }
  return text + part(word);
}

std::string SentenceTerms::part(const std::string& text) const {
  return glossary_.spoken ? spoken_part(text) : text;
}

// A word of the source that is a placeholder itself is not confused with a term: its placeholder is
// not used, or it gets another one.
std::string SentenceTerms::literal(const std::string& word) {
  for (const std::string& run : runs_of(word)) {
    for (const std::string& placeholder : glossary_.placeholders) {
      if (run != folded_text(placeholder)) {
        continue;
      }
      const bool used = std::any_of(expected_.begin(), expected_.end(), [&](const Expected& one) {
        return one.pattern == placeholder && one.target != word;
      });
      if (used) {
        return placeholder_for(word, /*kept=*/true, /*term=*/false).value_or(word);
      }
      blocked_.push_back(placeholder);
    }
  }
  return word;
}

// Returns the placeholder of a translation, or nullopt if there is none left. `term`: it counts as
// a term of the glossary.
std::optional<std::string> SentenceTerms::placeholder_for(const std::string& target, bool kept,
                                                          bool term) {
  for (Expected& one : expected_) {
    if (one.placeholder && one.target == target) {
      one.found += term ? 1 : 0;
      return one.pattern;
    }
  }
  for (const std::string& placeholder : glossary_.placeholders) {
    const bool free = std::find(blocked_.begin(), blocked_.end(), placeholder) == blocked_.end() &&
                      std::none_of(expected_.begin(), expected_.end(),
                                   [&](const Expected& one) { return one.pattern == placeholder; });
    if (free) {
      expect({placeholder, target, kept, /*placeholder=*/true}).found += term ? 1 : 0;
      return placeholder;
    }
  }
  return std::nullopt;
}

SentenceTerms::Expected& SentenceTerms::expect(Expected expected) {
  const auto known = std::find_if(expected_.begin(), expected_.end(), [&](const Expected& one) {
    return one.pattern == expected.pattern;
  });
  if (known != expected_.end()) {
    return *known;
  }
  expected.folded = folded_text(expected.pattern);
  expected_.push_back(std::move(expected));
  return expected_.back();
}

int SentenceTerms::written() const noexcept {
  return std::accumulate(expected_.begin(), expected_.end(), 0, [](int sum, const Expected& one) {
    return sum + std::min(one.found, one.written);
  });
}

void SentenceTerms::add_expected(const SentenceTerms& further) {
  for (const Expected& one : further.expected_) {
    expect(one);
  }
}

// --- target ---

void SentenceTerms::begin(std::string_view text) {
  std::string written;
  emit(text, written);
}

std::string SentenceTerms::write(std::string_view text) {
  std::string out;
  each_character(text,
                 [&](char32_t character, std::string_view bytes) { write(character, bytes, out); });
  return out;
}

std::string SentenceTerms::finish() {
  std::string out;
  if (Expected* term = find_expected(without_space(held_)); term != nullptr) {
    emit_term(*term, {}, out);
  } else {
    emit(std::exchange(held_, {}), out);
  }
  return out;
}

void SentenceTerms::write(char32_t character, std::string_view bytes, std::string& out) {
  if (inside_word_ && is_alphanumeric(character)) {
    const bool repeats = after_term_ && u_isdigit(icu_code(character)) != 0;  // "X77" for "X7"
    if (!repeats) {
      emit(bytes, out);
    }
    return;
  }
  if (held_.empty() && (expected_.empty() || !(character == U' ' || is_alphanumeric(character)))) {
    emit(bytes, out);
    return;
  }
  inside_word_ = false;
  after_term_ = false;
  held_ += bytes;
  if (!decide_held(is_alphanumeric(character), bytes, out)) {
    // A space is written with the character after it.
    const bool space = held_.size() > 1 && held_.ends_with(' ');
    held_.resize(held_.size() - (space ? 1 : 0));
    emit(std::exchange(held_, space ? " " : ""), out);
  }
}

SentenceTerms::Expected* SentenceTerms::find_expected(std::string_view text) {
  const std::string lower = folded_text(text);
  const auto found = std::find_if(expected_.begin(), expected_.end(),
                                  [&](const Expected& one) { return one.folded == lower; });
  return found == expected_.end() ? nullptr : &*found;
}

// Writes a term if the held text is one. Returns false if the held text is no term and cannot
// become one.
bool SentenceTerms::decide_held(bool alphanumeric, std::string_view last, std::string& out) {
  std::string_view text = without_space(held_);
  std::string_view article;
  if (glossary_.english) {
    article = article_of(text);
    text.remove_prefix(article.size() == text.size() || article.empty() ? 0 : article.size() + 1);
  }
  if (Expected* term = find_expected(text); term != nullptr && term->placeholder) {
    emit_term(*term, article, out);
    after_term_ = true;
    inside_word_ = true;
    return true;
  }
  if (!alphanumeric && text.size() > last.size()) {
    Expected* term = find_expected(text.substr(0, text.size() - last.size()));
    if (term != nullptr) {
      const std::string rest(last);
      emit_term(*term, article, out);
      if (rest == " ") {
        held_ = rest;
        inside_word_ = false;
      } else {
        emit(rest, out);
      }
      return true;
    }
  }
  const std::string lower = folded_text(text);
  return text.empty() || (!article.empty() && article == text) ||
         std::any_of(expected_.begin(), expected_.end(),
                     [&](const Expected& one) { return one.folded.starts_with(lower); });
}

void SentenceTerms::emit(std::string_view text, std::string& out) {
  out += text;
  each_character(text, [&](char32_t character, std::string_view /*bytes*/) {
    inside_word_ = is_alphanumeric(character);
    begun_ = begun_ || inside_word_;
    after_term_ = false;
  });
}

// Writes the translation of a term in place of the held text.
void SentenceTerms::emit_term(Expected& term, std::string_view article, std::string& out) {
  std::string text = held_.starts_with(' ') ? " " : "";
  if (!article.empty()) {
    const bool capital = article.front() == 'A';
    text += std::string(capital ? "A" : "a") + (begins_with_vowel(term.target) ? "n " : " ");
  }
  const bool begins = !begun_ && article.empty() && !term.kept;
  text += begins ? capitalised(term.target) : term.target;
  ++term.written;
  held_.clear();
  emit(text, out);
}

}  // namespace surtitle
