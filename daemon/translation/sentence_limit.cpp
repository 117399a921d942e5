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
    : max_words_(max_words), trained_words_(trained_words) {}

void SentenceLimit::append(std::string_view word) {
  const bool pauses = signs_of(word).pause;
  ++words_;
  stretch_ = pauses ? 0 : stretch_ + 1;
  punctuated_ = punctuated_ || pauses;
}

bool SentenceLimit::ends_before_next(std::optional<float> start) const {
  if (words_ == 0) {
    return false;
  }
  if (stretch_ >= max_stretch() && max_stretch() < max_words_) {
    return true;
  }
  const double likelihood =
      std::max(static_cast<double>(start.value_or(0)), stretch_ == 0 ? kPauseLikelihood : 0);
  return likelihood > kLikelyStart * (1 - std::clamp(beyond_soft_limit(), 0.0, 1.0));
}

Seconds SentenceLimit::silence(Seconds usual) const {
  return beyond_soft_limit() > 0 ? usual * kShareOfSilence : usual;
}

int SentenceLimit::max_stretch() const {
  return std::min(max_words_, punctuated_ ? trained_words_ + trained_words_ / 2 : trained_words_);
}

double SentenceLimit::beyond_soft_limit() const {
  const auto beyond = [](double words, double limit) {
    return (words - kSoftShare * limit) / (limit - kSoftShare * limit);
  };
  return std::max(beyond(words_, max_words_), beyond(stretch_, max_stretch()));
}

}  // namespace surtitle
