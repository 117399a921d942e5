#include "daemon/replay/delay_tracker.h"

#include <algorithm>

#include "daemon/translation/sentence_splitter.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

float milliseconds(Clock::duration duration) {
  return std::chrono::duration<float, std::milli>(duration).count();
}

}  // namespace

void DelayTracker::sent(int words, TimePoint now) {
  words_.insert(words_.end(), static_cast<std::size_t>(words), {now, std::nullopt});
}

void DelayTracker::ended(TimePoint now) {
  if (!words_.empty() && !words_.back().ended) {
    words_.back().ended = now;
  }
}

void DelayTracker::received(const protocol::Write& write, TimePoint now) {
  if (writes_.empty()) {
    tokens_ = 0;
  }
  tokens_ = std::max(tokens_, write.index + 1);
  writes_.push_back({write.words, now});
}

std::vector<float> DelayTracker::complete(const protocol::Sentence& sentence) {
  if (writes_.empty()) {
    tokens_ = 0;
  }
  const std::size_t words = std::min(split_words(sentence.source).size(), words_.size());
  std::vector<float> delays;
  if (words > 0) {
    const std::optional<TimePoint> end = end_of(sentence, words);
    for (const Received& write : writes_) {
      const std::size_t last =
          std::min(static_cast<std::size_t>(std::max(write.words, 1)), words) - 1;
      TimePoint cause = words_[last].time;
      if (last + 1 == words && end && *end <= write.time) {
        cause = std::max(cause, *end);
      }
      delays.push_back(milliseconds(write.time - cause));
    }
  }
  words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(words));
  writes_.clear();
  return delays;
}

// Returns the time of the sentence's end, or nullopt if its last word ended it at once.
std::optional<TimePoint> DelayTracker::end_of(const protocol::Sentence& sentence,
                                              std::size_t words) const {
  const SentWord& last = words_[words - 1];
  if (ends_sentence(sentence.source, language_)) {
    return std::nullopt;
  }
  std::optional<TimePoint> end = last.ended;
  if (!end && words < words_.size()) {
    end = words_[words].time;
  }
  const TimePoint silent = last.time + to_duration(silence_);
  if (silence_ > Seconds::zero() && (!end || silent < *end)) {
    end = silent;
  }
  return end;
}

}  // namespace surtitle
