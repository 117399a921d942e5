#include "daemon/session.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "daemon/sentence_splitter.h"
#include "daemon/text.h"

namespace surtitle {

using protocol::Error;
using protocol::ErrorCode;

Session::Session(SessionOptions options, TimePoint ready)
    : options_(std::move(options)), ready_(ready), last_source_(ready) {}

// --- source ---

std::optional<Error> Session::receive(const protocol::ClientMessage& message, TimePoint now) {
  if (finished_) {
    return Error{ErrorCode::kOutOfOrder, "a message came after finish; nothing may follow it"};
  }
  if (std::holds_alternative<protocol::Start>(message)) {
    return Error{ErrorCode::kOutOfOrder, "a second start came; a stream has one, at its beginning"};
  }
  if (const auto* source = std::get_if<protocol::Source>(&message)) {
    if (source->seq <= last_seq_) {
      return Error{ErrorCode::kBadSequence, "seq " + std::to_string(source->seq) +
                                                " of source must be a whole number above " +
                                                std::to_string(last_seq_)};
    }
    last_seq_ = source->seq;
    take_text(source->text, source->time, now);
    say(Audience::kSender, protocol::Ack{source->seq});
  } else if (const auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
    last_source_ = now;
    for (const std::string& word : hypotheses_.update(hypothesis->text, hypothesis->final)) {
      take_word(word, now);
    }
    show_source();
    if (hypothesis->final) {
      end_sentence(now);
    }
  } else if (std::holds_alternative<protocol::EndSentence>(message)) {
    end_sentence(now);
  } else {
    finish(now);
  }
  send_commands(now);
  return std::nullopt;
}

void Session::finish(TimePoint now) {
  if (!finished_) {
    end_sentence(now);
    finished_ = true;
    send_commands(now);
  }
}

std::optional<TimePoint> Session::deadline() const {
  if (finished_ || options_.silence <= Seconds::zero() || !has_open_sentence()) {
    return std::nullopt;
  }
  return last_source_ + to_duration(options_.silence);
}

void Session::tick(TimePoint now) {
  const std::optional<TimePoint> end = deadline();
  if (end && now >= *end) {
    end_sentence(now);
    send_commands(now);
  }
}

void Session::take_text(std::string_view text, std::optional<double> time, TimePoint now) {
  last_source_ = now;
  source_time_ = time;
  for (const std::string_view word : split_words(text)) {
    take_word(word, now);
  }
  show_source();
  source_time_.reset();
}

void Session::take_word(std::string_view word, TimePoint now) {
  const std::vector<int> tokens = options_.tokenizer->encode_word(word);
  const auto longest = static_cast<std::size_t>(options_.sentence_tokens);
  if (tokens.size() > longest) {
    // More than any sentence takes: its halves go as words of their own.
    const std::size_t half = character_begin(word, word.size() / 2);
    if (half > 0) {
      take_word(word.substr(0, half), now);
      take_word(word.substr(half), now);
    }
    return;
  }
  if (has_open_sentence()) {
    const SentenceTrack& open = sentences_.back().track;
    const bool fits = open.source_words() < options_.sentence_words &&
                      static_cast<std::size_t>(open.source_tokens()) + tokens.size() <= longest;
    if (!fits) {
      say(Audience::kSender,
          Error{ErrorCode::kSentenceTooLong,
                "sentence " + std::to_string(open.number()) + " is longer than " +
                    std::to_string(options_.sentence_words) + " words or " +
                    std::to_string(options_.sentence_tokens) +
                    " tokens; it ends here and the next word starts another"});
      end_sentence(now);
    }
  }
  add_word(word, tokens, now);
  if (ends_sentence(word)) {
    end_sentence(now);
  }
}

void Session::add_word(std::string_view word, const std::vector<int>& tokens, TimePoint now) {
  if (!has_open_sentence()) {
    sentences_.push_back({SentenceTrack(next_number_++, options_.tokenizer), {}, false, false, {}});
  }
  Pending& open = sentences_.back();
  open.track.add_word(word, static_cast<int>(tokens.size()), now);
  open.unsent.insert(open.unsent.end(), tokens.begin(), tokens.end());
  unseen_ += (unseen_.empty() ? "" : " ") + std::string(word);
  ++source_words_;
  ++queued_words_;
}

void Session::show_source() {
  if (!unseen_.empty()) {
    say(Audience::kViewers, protocol::SourceWords{sentences_.back().track.number(),
                                                  std::exchange(unseen_, {}), source_time_});
  }
}

void Session::end_sentence(TimePoint now) {
  if (has_open_sentence()) {
    show_source();
    sentences_.back().track.end_source(now);
  }
}

bool Session::has_open_sentence() const {
  return !sentences_.empty() && !sentences_.back().track.source_ended();
}

// --- translation ---

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

// --- output ---

SessionOutput Session::take_output() { return std::exchange(output_, {}); }

std::vector<LatencyScores> Session::take_completed_scores() {
  return std::exchange(completed_scores_, {});
}

std::vector<SentenceKey> Session::open_sentences() const {
  std::vector<SentenceKey> keys;
  for (const Pending& sentence : sentences_) {
    if (sentence.opened) {
      keys.push_back({options_.stream, sentence.track.number()});
    }
  }
  return keys;
}

void Session::say(Audience audience, protocol::ServerMessage message,
                  std::optional<TimePoint> cause) {
  output_.messages.push_back({audience, std::move(message), cause});
}

// Since the stream's ready, to a tenth.
double Session::milliseconds(TimePoint now) const {
  const std::chrono::duration<double, std::milli> since = now - ready_;
  return std::round(since.count() * 10) / 10;
}

}  // namespace surtitle
