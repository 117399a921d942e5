#include "daemon/recognisers/growing_transcript.h"

#include <algorithm>

#include "model/text/ascii.h"
#include "model/text/speech_marks.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

bool begins_word(std::string_view text) { return !text.empty() && is_space(text.front()); }

}  // namespace

void GrowingTranscript::update(const Part& added, const Part& end) {
  if (added.text.empty() && end.text == end_) {
    return;
  }
  if (!added.text.empty()) {
    final_ += added.text;
    final_time_ = added.time;
  }
  end_ = end.text;
  end_time_ = end_.empty() ? final_time_ : end.time;
  const std::string complete = final_.substr(0, complete_bytes());
  const std::size_t words = split_words(complete).size();
  if (words > 0 && words >= max_hypothesis_words_) {
    builder_.final_text(complete, final_time_, /*ends_sentence=*/false);
    drop_final(complete.size());
  }
  const std::string rest = final_ + end_;
  const std::size_t rest_words = split_words(rest).size();
  if (rest != sent_ && (max_hypothesis_words_ > 0 || rest_words > 0)) {
    builder_.hypothesis(rest, end_time_);
    max_hypothesis_words_ = std::max(max_hypothesis_words_, rest_words);
    sent_ = rest;
  }
}

void GrowingTranscript::end_sentence() {
  const std::string rest = final_ + end_;
  if (max_hypothesis_words_ > 0 || !split_words(rest).empty()) {
    builder_.final_text(rest, end_time_);
  } else {
    builder_.end_sentence();
  }
  drop_final(final_.size());
  end_.clear();
}

// Returns the bytes of final_ that no further text can change.
std::size_t GrowingTranscript::complete_bytes() const {
  const std::size_t last = final_.find_last_not_of(kWhiteSpace);
  if (last == final_.npos) {
    return 0;
  }
  const bool is_complete = last + 1 < final_.size() || begins_word(end_) || ends_with_stop(final_);
  const std::size_t space = final_.find_last_of(kWhiteSpace, last);
  return is_complete ? final_.size() : space == final_.npos ? 0 : space;
}

void GrowingTranscript::drop_final(std::size_t bytes) {
  final_.erase(0, bytes);
  sent_.clear();
  max_hypothesis_words_ = 0;
}

}  // namespace surtitle
