#include "daemon/recognisers/speech_filter.h"

#include <span>
#include <utility>

#include "model/text/words.h"

namespace surtitle {

void SpeechFilter::add(SourceWord word, std::vector<SourceWord>& out) {
  if (word.text.empty()) {
    decide(/*at_end=*/true, out);
    out.push_back({});
    begins_ = true;
  } else {
    held_.push_back(std::move(word.text));
    times_.push_back(word.time);
  }
}

void SpeechFilter::decide(bool at_end, std::vector<SourceWord>& out) {
  std::size_t done = 0;
  while (done < held_.size()) {
    SpeechElement element =
        first_element(std::span(held_).subspan(done), rule_.language, begins_, at_end);
    if (element.kind == SpeechElement::Kind::kOpen) {
      break;
    }
    done += element.words;
    put(element, times_[done - 1], out);
    if (!element.rest.empty()) {
      held_[--done] = std::move(element.rest);
    }
  }
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(done));
  times_.erase(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(done));
}

bool SpeechFilter::ends_in_bracket() const {
  SpeechFilter rest = *this;
  std::vector<SourceWord> decided;
  rest.decide(/*at_end=*/false, decided);
  return !rest.held_.empty() && rest.held_.front().starts_with('[');
}

void SpeechFilter::put(const SpeechElement& element, std::optional<double> time,
                       std::vector<SourceWord>& out) {
  using Kind = SpeechElement::Kind;
  if (element.kind == Kind::kMark) {
    return put_mark(element, time, out);
  }
  const bool is_kept = element.kind == Kind::kWord ||
                       (element.kind == Kind::kHesitation && rule_.keep_hesitations) ||
                       (element.kind == Kind::kSpeaker && rule_.keep_speakers);
  const bool ends = element.kind == Kind::kSpeaker ||
                    (element.kind == Kind::kHesitation && !is_kept && ends_with_stop(element.text));
  if (ends) {
    out.push_back({});
    begins_ = true;
  }
  if (is_kept) {
    for (const std::string_view word : split_words(element.text)) {
      out.push_back({std::string(word), time});
    }
    begins_ = ends_with_stop(element.text);
  }
}

// A mark is a sentence of its own. The stop behind it ends the sentence before it.
void SpeechFilter::put_mark(const SpeechElement& element, std::optional<double> time,
                            std::vector<SourceWord>& out) {
  const std::string mark = rule_.keep_marks ? shown_mark(element.text) : std::string();
  if (mark.empty() && element.stop.empty()) {
    return;
  }
  out.push_back({{}, {}, element.stop});
  for (const std::string_view word : split_words(mark)) {
    out.push_back({std::string(word), time});
  }
  if (!mark.empty()) {
    out.push_back({});
  }
  begins_ = true;
}

Speech speech_of(std::string_view text, const SpeechRule& rule, bool may_continue) {
  SpeechFilter filter(rule);
  std::vector<SourceWord> kept;
  for (const std::string_view word : split_words(text)) {
    filter.add({std::string(word)}, kept);
  }
  Speech speech;
  speech.is_open = may_continue && filter.ends_in_bracket();
  filter.decide(/*at_end=*/!speech.is_open, kept);
  speech.begins_sentence = !kept.empty() && kept.front().text.empty();
  bool ended = false;
  for (const SourceWord& word : kept) {
    if (!word.text.empty() && !speech.text.empty()) {
      speech.text += ended && !ends_with_stop(speech.text) ? ". " : " ";
    }
    speech.text += word.text;
    if (!word.stop.empty() && !speech.text.empty() && !ended && !ends_with_stop(speech.text)) {
      speech.text += word.stop;
    }
    ended = word.text.empty();
  }
  return speech;
}

}  // namespace surtitle
