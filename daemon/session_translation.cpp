// Session's second half: from source words to commands, and from what was translated to messages.
#include <algorithm>
#include <utility>

#include "daemon/session.h"

namespace surtitle {

using protocol::Error;
using protocol::ErrorCode;

void Session::send_commands(TimePoint now) {
  const std::size_t count =
      std::min(sentences_.size(), static_cast<std::size_t>(options_.open_sentences));
  for (std::size_t i = 0; i < count; ++i) {
    send_commands_of(sentences_[i]);
  }
  take_turn(now);
}

void Session::send_commands_of(Pending& sentence) {
  using Kind = TranslationCommand::Kind;
  const SentenceKey key{options_.stream, sentence.track.number()};
  if (!sentence.unsent.empty()) {
    if (!sentence.opened) {
      output_.commands.push_back({Kind::kOpen, key, options_.policy, {}});
      sentence.opened = true;
    }
    output_.commands.push_back({Kind::kRead, key, nullptr, std::exchange(sentence.unsent, {})});
  }
  if (sentence.track.source_ended() && !sentence.finish_sent) {
    sentence.finish_sent = true;
    if (sentence.opened) {
      output_.commands.push_back({Kind::kFinish, key, nullptr, {}});
    } else {  // words without tokens: nothing to translate
      sentence.held.push_back({key, 0, 0, /*end=*/true, std::nullopt});
    }
  }
}

std::optional<Error> Session::translated(const TranslationEvent& event, TimePoint now) {
  if (event.failure) {
    return Error{ErrorCode::kInternal, "the translation of sentence " +
                                           std::to_string(event.key.sentence) +
                                           " failed: " + *event.failure};
  }
  const auto sentence = std::find_if(
      sentences_.begin(), sentences_.end(),
      [&](const Pending& pending) { return pending.track.number() == event.key.sentence; });
  if (sentence != sentences_.end()) {
    sentence->held.push_back(event);
    take_turn(now);
  }
  return std::nullopt;
}

// Writes what is there for the first sentence, and goes on to the next where it is complete.
void Session::take_turn(TimePoint now) {
  while (!sentences_.empty()) {
    Pending& first = sentences_.front();
    bool ended = false;
    for (const TranslationEvent& event : std::exchange(first.held, {})) {
      ended = write(first, event, now);
    }
    if (!ended) {
      return;
    }
    complete_first();
    if (sentences_.size() >= static_cast<std::size_t>(options_.open_sentences)) {
      send_commands_of(sentences_[static_cast<std::size_t>(options_.open_sentences) - 1]);
    }
  }
}

// Returns true where the sentence is complete.
bool Session::write(Pending& sentence, const TranslationEvent& event, TimePoint now) {
  SentenceTrack& track = sentence.track;
  const int words_before = track.target_words();
  const int index = track.target_tokens();
  std::string text = event.end ? track.end_target() : track.write(event.token, event.read);
  if (!text.empty()) {
    write_text(track, std::move(text), index, event.read, now);
  }
  if (track.target_words() > words_before) {
    write_metrics(track);
  }
  return event.end;
}

void Session::write_text(const SentenceTrack& track, std::string text, int index, int read,
                         TimePoint now) {
  say(Audience::kBoth,
      protocol::Write{track.number(), index, std::move(text), read, track.words_of(read),
                      milliseconds(now)},
      track.arrival_of(read));
}

void Session::write_metrics(const SentenceTrack& track) {
  say(Audience::kBoth,
      protocol::Metrics{track.number(), to_protocol(track.word_scores()),
                        to_protocol(mean_scores_.mean()), mean_scores_.sentences()});
}

void Session::complete_first() {
  const SentenceTrack& track = sentences_.front().track;
  const LatencyScores words = track.word_scores();
  mean_scores_.add(words);
  completed_scores_.push_back(words);
  say(Audience::kBoth, protocol::Sentence{track.number(), track.source(), track.target(),
                                          to_protocol(words), to_protocol(track.token_scores())});
  queued_words_ -= track.source_words();
  sentences_.pop_front();
}

}  // namespace surtitle
