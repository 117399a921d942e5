#include "daemon/translation/sentence_limit.h"

#include <algorithm>

#include "daemon/translation/word_signs.h"

namespace surtitle {
namespace {

constexpr double kSoftShare = 0.6;         // of the limit
constexpr double kPauseLikelihood = 0.32;  // of an end at a comma
constexpr double kShareOfSilence = 0.25;   // past the soft limit

}  // namespace

SentenceLimit::SentenceLimit(int max_words, int trained_words)
    : max_words_(max_words), max_unpunctuated_(std::min(max_words, trained_words)) {}

void SentenceLimit::append(std::string_view word) {
  ++words_;
  pauses_ = signs_of(word).pause;
  punctuated_ = punctuated_ || pauses_;
}

bool SentenceLimit::ends_before_next(std::optional<float> start) const {
  if (words_ == 0) {
    return false;
  }
  if (words_ >= limit() && limit() < max_words_) {
    return true;
  }
  const double likelihood =
      std::max(static_cast<double>(start.value_or(0)), pauses_ ? kPauseLikelihood : 0);
  return likelihood > required_likelihood();
}

double SentenceLimit::required_likelihood() const {
  const double soft = kSoftShare * limit();
  const double beyond = (words_ - soft) / (limit() - soft);
  return kLikelyStart * (1 - std::clamp(beyond, 0.0, 1.0));
}

Seconds SentenceLimit::silence(Seconds usual) const {
  return words_ > kSoftShare * limit() ? usual * kShareOfSilence : usual;
}

}  // namespace surtitle
