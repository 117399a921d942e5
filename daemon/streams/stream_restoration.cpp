// Replays the history of a stream of another process.
#include "daemon/streams/stream_restoration.h"

#include <algorithm>
#include <utility>

#include "daemon/journal/journal_codec.h"
#include "daemon/streams/stream.h"

namespace surtitle {

using protocol::ByeReason;
using protocol::Error;

namespace {

// Returns the start of the stream on this process' steady clock, found by the calendar. The
// calendar may have been set since, so the start is never so late that the last row is in the
// future.
TimePoint ready_on_this_clock(const StreamHistory& history, const Environment& environment) {
  const std::int64_t now = milliseconds_since_1970(environment.calendar_time());
  const std::chrono::milliseconds ago(std::max<std::int64_t>(now - history.stream.started, 0));
  const std::chrono::nanoseconds lasted(history.rows.empty() ? 0 : history.rows.back().at);
  return environment.now() - std::max<Clock::duration>(ago, lasted);
}

}  // namespace

Stream::Stream(Hub& hub, const StreamHistory& history, const StreamSettings& settings,
               StreamPlan plan, Restored /*tag*/)
    : hub_(hub),
      number_(hub.next_stream_number()),
      name_(history.stream.name),
      key_(history.stream.key),
      durable_(true),
      journaled_(true),
      ready_(ready_on_this_clock(history, hub.environment())),
      resume_deadline_(hub.now() + to_duration(hub.options().resume_timeout)),
      tracks_(std::move(plan.tracks)),
      publisher_(hub, nullptr),
      restored_(true) {
  begin_session(settings.start, settings.sentence_words, settings.message_words);
}

// Replays one journal row and verifies that the session produces the same output.
std::optional<std::string> Stream::replay_row(const JournalRow& row, ByeReason reason) {
  if (row.input.empty()) {
    return std::nullopt;
  }
  const auto input = parse_input(row.input, number_);
  if (const auto* error = std::get_if<std::string>(&input)) {
    return *error;
  }
  const TimePoint then = ready_ + Clock::duration(row.at);
  const auto& happened = std::get<StreamInput>(input);
  if (const auto* message = std::get_if<protocol::ClientMessage>(&happened)) {
    stats_.received(row.input.size());
    apply(*message, then);
  } else if (const auto* events = std::get_if<std::vector<TranslationEvent>>(&happened)) {
    for (const TranslationEvent& event : *events) {
      session_->translated(event, then);
    }
  } else {
    session_->receive(protocol::EndSentence(), then);  // even if sentence.silence is longer now
  }
  SessionOutput output = take_output();
  std::vector<std::string> lines = lines_of(output);
  if (session_->complete()) {
    lines.push_back(end_line(reason, then));
  }
  if (to_jsonl(lines) != row.lines) {
    return "its history was written with other settings or by another version";
  }
  for (const CompletedScores& completed : output.completed) {
    stats_.completed(completed.scores);
  }
  for (const Outgoing& outgoing : output.messages) {
    stats_.on_message(outgoing.message);
    if (!std::holds_alternative<protocol::Metrics>(outgoing.message)) {
      publisher_.deliver(outgoing);
    }
  }
  return std::nullopt;
}

void Stream::seed_from_history(const StreamHistory& history) {
  publisher_.flush_held_source();
  words_counted_ = session_->source_words();
  arrived_words_ = session_->source_words();
  arrived_pieces_ = session_->source_pieces();
  revisions_counted_ = session_->revisions();
  last_seq_ = session_->last_seq();
  if (history.ended) {
    replay_end(history);
    return;
  }
  restored_ = false;
  set_restored_at(hub_.now());
  session_->open_again();
  SessionOutput output = session_->take_output();
  submit(output);
}

// Restores a stream that had ended, for a sender that has not received the end.
void Stream::replay_end(const StreamHistory& history) {
  ended_ = true;
  stream_end_.reason = end_reason(history);
  if (stream_end_.reason == ByeReason::kError) {
    stream_end_.error = error_of(history);
  }
  close();
}

StreamRestoration::StreamRestoration(Hub& hub, const StreamHistory& history)
    : hub_(hub), history_(history), reason_(end_reason(history)), error_(begin()) {}

StreamRestoration::~StreamRestoration() = default;

std::optional<std::string> StreamRestoration::begin() {
  const auto settings = parse_settings(history_.stream.settings);
  if (const auto* error = std::get_if<std::string>(&settings)) {
    return *error;
  }
  const auto& known = std::get<StreamSettings>(settings);
  auto plan = plan_stream(known.start, hub_.models(), {});
  if (const auto* error = std::get_if<Error>(&plan)) {
    return error->message;
  }
  if (history_.stream.channel && hub_.channels().is_taken(*history_.stream.channel)) {
    return "channel '" + *history_.stream.channel + "' already has another sender";
  }
  stream_.reset(
      new Stream(hub_, history_, known, std::get<StreamPlan>(std::move(plan)), Stream::Restored{}));
  stream_->reserve(history_.stream.channel);
  stream_->claim();
  return std::nullopt;
}

bool StreamRestoration::go_on(std::size_t rows) {
  for (; rows > 0 && !error_ && next_ < history_.rows.size(); --rows, ++next_) {
    error_ = stream_->replay_row(history_.rows[next_], reason_);
  }
  if (!error_ && next_ < history_.rows.size()) {
    return false;
  }
  if (!error_ && !std::exchange(complete_, true)) {
    stream_->seed_from_history(history_);
  }
  return true;
}

std::variant<std::shared_ptr<Stream>, std::string> StreamRestoration::release() {
  if (error_) {
    return *std::move(error_);
  }
  return std::move(stream_);
}

std::variant<std::shared_ptr<Stream>, std::string> restore_stream(Hub& hub,
                                                                  const StreamHistory& history) {
  StreamRestoration restoration(hub, history);
  restoration.go_on(StreamRestoration::kAll);
  return restoration.release();
}

}  // namespace surtitle
