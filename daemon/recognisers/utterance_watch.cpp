#include "daemon/recognisers/utterance_watch.h"

#include <algorithm>
#include <utility>

#include "daemon/recognisers/word_overlap.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kUtteranceBeginning = 4;  // words
constexpr std::size_t kSteadyWords = 2;         // words that make a beginning steady
constexpr std::size_t kMinInterrupted = 2;      // words; fewer are corrected, not abandoned
constexpr std::size_t kMinUninterrupted = 4;    // words; fewer may all be corrected
constexpr std::size_t kCommonRun = 3;           // words in a row of a window that has moved on

bool share_run(const Words& last, const Words& next) {
  for (std::size_t i = 0; i + kCommonRun <= next.size(); ++i) {
    const auto run = next.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::search(last.begin(), last.end(), run, run + kCommonRun) != last.end()) {
      return true;
    }
  }
  return false;
}

bool begins_with(const Words& words, const Words& beginning, std::size_t count) {
  return words.size() >= count && beginning.size() >= count &&
         std::equal(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count),
                    beginning.begin());
}

}  // namespace

UtteranceWatch::Next UtteranceWatch::on_hypothesis(std::string_view text) {
  Words next = bare_words(text);
  if (is_interruption(next)) {
    if (next.empty() && interrupted_) {
      reset();
      return Next::kEnds;
    }
    interrupted_ = true;
    return Next::kInterrupts;
  }
  const bool begins = begins_another(next);
  if (begins) {
    reset();
  }
  interrupted_ = false;
  is_steady_ = is_steady_ || begins_with(words_, next, kSteadyWords);
  words_ = std::move(next);
  return begins ? Next::kBegins : Next::kContinues;
}

UtteranceWatch::Next UtteranceWatch::on_final(std::string_view text) {
  const bool begins = interrupted_ && begins_another(bare_words(text));
  reset();
  return begins ? Next::kBegins : Next::kContinues;
}

void UtteranceWatch::reset() {
  words_.clear();
  is_steady_ = false;
  interrupted_ = false;
}

bool UtteranceWatch::is_interruption(const Words& next) const {
  if (words_.size() < kMinInterrupted) {
    return false;
  }
  return next.empty() ||
         (is_steady_ && words_.size() >= kMinUninterrupted && 2 * next.size() <= words_.size() &&
          begins_with(words_, next, next.size()));
}

bool UtteranceWatch::begins_another(const Words& next) const {
  if (next.empty() || share_run(words_, next)) {
    return false;
  }
  const std::size_t common = common_first_words(words_, next);
  if (interrupted_) {
    return 2 * common <= std::min(kUtteranceBeginning, next.size());
  }
  return is_steady_ && words_.size() >= kMinUninterrupted && common == 0 &&
         repeated_words(words_, next) == 0;
}

}  // namespace surtitle
