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
    : options_(std::move(options)),
      ready_(ready),
      hypotheses_(options_.agreement),
      last_source_(ready) {}

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
    if (const std::optional<Error> error = refuse(source->text)) {
      return error;
    }
    last_seq_ = source->seq;
    take_text(source->text, source->time, now);
    say(Audience::kSender, protocol::Ack{source->seq});
  } else if (const auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
    if (const std::optional<Error> error = refuse(hypothesis->text)) {
      return error;
    }
    take_hypothesis(*hypothesis, now);
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
    for (const std::string& word : hypotheses_.finish()) {
      take_word(word, now);
    }
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

// Every word may be a sentence, and every sentence a message to each viewer, all at once.
std::optional<Error> Session::refuse(std::string_view text) const {
  const std::size_t words = split_words(text).size();
  if (words <= static_cast<std::size_t>(options_.message_words)) {
    return std::nullopt;
  }
  return Error{ErrorCode::kMessageTooLarge,
               "the message has " + std::to_string(words) + " words, more than the " +
                   std::to_string(options_.message_words) + " of queued_words; send several"};
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

void Session::take_hypothesis(const protocol::Hypothesis& hypothesis, TimePoint now) {
  last_source_ = now;
  source_time_ = hypothesis.time;
  HypothesisCommit::Update update = hypotheses_.update(hypothesis.text, hypothesis.final);
  for (HypothesisCommit::Revision& revision : update.revisions) {
    say(Audience::kBoth,
        protocol::Revision{committed_in_[revision.first], std::move(revision.committed),
                           std::move(revision.heard)});
  }
  for (const std::string& word : update.words) {
    take_word(word, now);
    committed_in_.push_back(next_number_ - 1);
  }
  show_source();
  source_time_.reset();
  if (hypothesis.final) {
    committed_in_.clear();
    if (hypothesis.end_sentence) {
      end_sentence(now);
    }
  }
}

void Session::take_word(std::string_view word, TimePoint now) {
  const std::vector<int> tokens = options_.tokenizers.source->encode_word(word);
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
    sentences_.push_back(
        {SentenceTrack(next_number_++, options_.tokenizers.target), {}, false, false, {}});
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
