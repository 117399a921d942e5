// The output of a stream: from its session to the translators, the log and the journal, and after
// the commit to its sender and viewers.
#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/journal/journal_codec.h"
#include "daemon/streams/stream.h"

namespace surtitle {

using protocol::ByeReason;
using protocol::Error;

// Passes the session's output on, and ends the stream if the session is complete.
void Stream::flush(TimePoint now, std::string input) {
  SessionOutput output = session_.take_output();
  submit(output);
  measure(output);
  std::vector<std::string> lines;
  if (durable() || log_) {
    lines = session_.lines_of(output);
  }
  if (session_->complete()) {
    const ByeReason reason =
        state_ == State::kDraining ? ByeReason::kDraining : ByeReason::kFinished;
    state_ = State::kEnding;
    end(std::move(output.messages), {reason}, std::move(lines), std::move(input), now);
    return;
  }
  const bool silent = output.messages.empty() && lines.empty();
  if (silent && (input.empty() || input == silence_input())) {
    return;
  }
  if (input.empty() && lines.empty()) {  // messages that need no row, after those that wait for one
    if (!commit_queue_.join(output.messages)) {
      emit({std::move(output.messages)});
    }
    return;
  }
  commit_output({std::move(output.messages)}, lines, std::move(input), now);
}

void Stream::commit_output(PendingOutput output, const std::vector<std::string>& lines,
                           std::string input, TimePoint now) {
  if (log_) {
    log_->append(lines);
  }
  if (!commit_queue_.begun()) {
    emit(output);
    return;
  }
  const auto at =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now - session_.identity().ready);
  JournalRow row{at.count(), std::move(input), to_jsonl(lines)};
  commit_queue_.push({.stream = name(), .row = std::move(row), .ends = ended()}, std::move(output));
}

// As commit_output(), for the last output. REQUIRES: ended().
void Stream::end(std::vector<Outgoing> messages, StreamEnd stream_end,
                 std::vector<std::string> lines, std::string input, TimePoint now) {
  lines.push_back(session_.end_line(stream_end.reason, now));
  if (log_) {
    log_->append(lines);
    log_.reset();
  }
  commit_output({std::move(messages), std::move(stream_end)}, lines, std::move(input), now);
}

void Stream::emit(const PendingOutput& output) {
  if (closed()) {
    return;
  }
  if (channel() && !publisher_->claimed()) {
    publisher_->claim(session_.description());
    owner_.on_published(*this);
  }
  for (const Outgoing& outgoing : output.messages) {
    if (outgoing.triggered_at) {
      const TimePoint now = server_.now();
      // The time between two processes does not count as delay of this one.
      server_.admission().add_delay(session_.model_of(outgoing.message),
                                    now - std::max(*outgoing.triggered_at, restored_at_),
                                    *outgoing.triggered_at <= faster_than_realtime_until_, now);
      stats_.add_delay(now - *outgoing.triggered_at);
    }
    stats_.on_message(outgoing.message);
    publisher_->deliver(outgoing);
    report(outgoing.message);
  }
  if (output.stream_end) {
    stream_end_ = *output.stream_end;
    publisher_->send_end(stream_end_);
    close();
  }
}

// Logs changes of policy, notices and revisions.
void Stream::report(const protocol::ServerMessage& message) {
  if (const auto* change = std::get_if<protocol::PolicyChange>(&message)) {
    log_line(LogLevel::kInfo, change->by_lag ? "Policy changed to hold the lag" : "Policy changed",
             {{"track", change->track},
              {"sentence", change->sentence},
              {"model", change->model},
              {"policy", change->policy}});
  }
  if (const auto* change = std::get_if<protocol::HeadingChange>(&message)) {
    log_line(LogLevel::kInfo, "Heading changed",
             {{"title", change->heading.title}, {"speaker", change->heading.speaker}});
  }
  if (const auto* error = std::get_if<Error>(&message)) {
    server_.metrics().error(error->code);
    log_line(LogLevel::kWarning, "Notice sent to the sender",
             {{"code", protocol::name(error->code)}, {"error", error->message}});
  } else if (const auto* revision = std::get_if<protocol::Revision>(&message)) {
    log_line(LogLevel::kInfo, "Recogniser changed committed words",
             {{"sentence", revision->sentence}});
  }
}

void Stream::submit(SessionOutput& output) {
  const bool waited = !blocked_commands_.empty();
  for (auto& [model, commands] : output.commands) {
    std::vector<TranslationCommand>& blocked = blocked_commands_[model];
    blocked.insert(blocked.end(), std::make_move_iterator(commands.begin()),
                   std::make_move_iterator(commands.end()));
  }
  for (auto model = blocked_commands_.begin(); model != blocked_commands_.end();) {
    model = server_.models().submit(model->first, model->second) ? blocked_commands_.erase(model)
                                                                 : std::next(model);
  }
  if (waited && blocked_commands_.empty()) {
    publisher_->wake();  // to read the sender again
  }
}

void Stream::measure(const SessionOutput& output) {
  server_.metrics().source_words(session_->source_words() - words_counted_);
  words_counted_ = session_->source_words();
  if (const int more = session_->revisions() - revisions_counted_; more > 0) {
    server_.metrics().revisions(more);
    revisions_counted_ += more;
  }
  for (const CompletedScores& completed : output.completed) {
    stats_.completed(completed.scores);
    server_.metrics().sentence(completed.policy, completed.scores, completed.untranslated,
                               {completed.terms, completed.written_terms}, completed.speech,
                               completed.aware_speech);
  }
}

}  // namespace surtitle
