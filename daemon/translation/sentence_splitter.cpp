#include "daemon/translation/sentence_splitter.h"

#include <algorithm>
#include <cstdlib>

#include "model/text/ascii.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Roman numerals up to 39, as of kings and centuries. Longer ones are rather words: MIX.
bool is_roman(std::string_view text) {
  return !text.empty() && text.find_first_not_of("IVX") == std::string_view::npos;
}

bool is_letter(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  return !text.empty() && !is_digits(text) && std::all_of(text.begin() + 1, text.end(), continues);
}

bool is_number_up_to(std::string_view text, int max) {
  return is_digits(text) && text.size() <= 2 && std::atoi(std::string(text).c_str()) <= max;
}

// A date without its year: "7.10".
bool is_day_and_month(std::string_view text) {
  const std::size_t stop = text.find('.');
  return stop != std::string_view::npos && is_number_up_to(text.substr(0, stop), 31) &&
         is_number_up_to(text.substr(stop + 1), 12);
}

// Returns the last date of a range: "26.12" of "24.-26.12", and "3" of "1.-3". Other words stay.
std::string_view end_of_range(std::string_view word) {
  for (const std::string_view sign : {"-", "–", "/"}) {
    const std::size_t at = word.rfind(sign);
    if (at == std::string_view::npos || at == 0 || word[at - 1] != '.') {
      continue;
    }
    const std::string_view begin = word.substr(0, at - 1);
    if (is_number_up_to(begin, 31) || is_day_and_month(begin)) {
      return word.substr(at + sign.size());
    }
  }
  return word;
}

}  // namespace

bool SentenceSplitter::ends_before(std::string_view word) const {
  if (rule_ == StopRule::kContinues) {
    return false;
  }
  const WordSigns next = signs_of(word);
  if (next.core.empty() || next.initial == Initial::kLower) {
    return false;
  }
  switch (rule_) {
    case StopRule::kEndsAtOpener:
      return language_->opens_sentence(next.core);
    case StopRule::kEndsAtText:
      return next.initial != Initial::kDigit;
    case StopRule::kEndsAtCapital:
      return !language_->is_date_word(next.core);
    case StopRule::kEndsAtNewCapital:
      return !language_->is_always_capital(next.core);
    default:
      return true;
  }
}

bool SentenceSplitter::append(std::string_view word) {
  const WordSigns signs = signs_of(word);
  if (signs.core.empty() && signs.stop == Stop::kNone && signs.opened) {
    return false;  // quotes alone: the stop before them is still the last one
  }
  rule_ = rule_of(signs);
  if (!signs.core.empty()) {
    const bool letter = signs.stop == Stop::kFullStop && is_letter(signs.core);
    letters_ = letter ? letters_ + (letters_.empty() ? "" : ".") + std::string(signs.core) : "";
    previous_ = signs.core;
  }
  return rule_ == StopRule::kEnds;
}

StopRule SentenceSplitter::rule_of(const WordSigns& signs) const {
  const bool capital_nouns = language_->has_capital_nouns();
  const StopRule end = signs.closed ? StopRule::kEndsAtNewCapital : StopRule::kEnds;
  switch (signs.stop) {
    case Stop::kNone:
      return StopRule::kContinues;
    case Stop::kMark:
      if (signs.core.empty() && signs.opened) {
        return StopRule::kContinues;  // a remark: (!)
      }
      // "Why?" Tom asked. In German, the verb precedes the name.
      return signs.quoted && !capital_nouns ? StopRule::kEndsAtOpener : end;
    case Stop::kEllipsis:
      return capital_nouns ? StopRule::kEndsAtOpener : StopRule::kEndsAtNewCapital;
    default:
      return std::min(end, rule_of_full_stop(signs.core.empty() ? previous_ : signs.core));
  }
}

StopRule SentenceSplitter::rule_of_full_stop(std::string_view word) const {
  const std::string_view core = end_of_range(word);
  if (is_digits(core)) {
    return rule_of_number(core);
  }
  if (is_day_and_month(core) && language_->has_capital_nouns()) {
    return StopRule::kEndsAtOpener;
  }
  if (is_letter(core)) {
    return rule_of_letter(core);
  }
  if (is_roman(core)) {
    if (previous_.empty()) {
      return StopRule::kContinues;  // a list's number
    }
    return language_->has_capital_nouns() ? StopRule::kEndsAtOpener : StopRule::kEndsAtCapital;
  }
  return core.empty() ? StopRule::kEnds : language_->abbreviation(core, previous_.empty());
}

// Where nouns have capitals, the word after an ordinal looks like the begin of a sentence. So the
// word before must decide.
StopRule SentenceSplitter::rule_of_number(std::string_view digits) const {
  constexpr std::size_t kYear = 4;  // digits
  if (previous_.empty() && digits.size() <= 2) {
    return StopRule::kContinues;  // a list's number
  }
  if (!language_->has_capital_nouns()) {
    return digits.size() <= 2 ? StopRule::kEndsAtCapital : StopRule::kEnds;
  }
  if (language_->precedes_ordinal(previous_)) {
    return StopRule::kEndsAtOpener;
  }
  const bool is_count =
      digits.size() >= kYear || language_->precedes_time(previous_) || follows_noun();
  return is_count ? StopRule::kEndsAtCapital : StopRule::kEndsAtOpener;
}

StopRule SentenceSplitter::rule_of_letter(std::string_view core) const {
  if (letters_.empty()) {
    return previous_.empty() ? StopRule::kContinues : StopRule::kEndsAtOpener;
  }
  const StopRule joined = language_->abbreviation(letters_ + "." + std::string(core), false);
  return std::min(joined, StopRule::kEndsAtCapital);
}

// "Platz 4.", in contrast to "Montag, 4."
bool SentenceSplitter::follows_noun() const {
  const WordSigns signs = signs_of(previous_);
  return signs.initial == Initial::kUpper && !signs.pause && !language_->opens_sentence(previous_);
}

bool ends_sentence(std::string_view text, std::string_view language) {
  SentenceSplitter splitter(language);
  bool ends = false;
  for (const std::string_view word : split_words(text)) {
    if (ends || splitter.ends_before(word)) {
      splitter.begin_sentence();
    }
    ends = splitter.append(word);
  }
  return ends;
}

}  // namespace surtitle
