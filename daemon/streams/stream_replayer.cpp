#include "daemon/streams/stream_replayer.h"

#include <algorithm>
#include <utility>

#include "daemon/base/utc_time.h"
#include "daemon/journal/journal_codec.h"

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

StreamReplayer::StreamReplayer(ServerContext& server, StreamOwner& owner,
                               const StreamHistory& history)
    : server_(server),
      owner_(owner),
      history_(history),
      reason_(end_reason(history)),
      error_(begin()) {}

std::optional<std::string> StreamReplayer::begin() {
  const auto settings = parse_settings(history_.stream.settings);
  if (const auto* error = std::get_if<std::string>(&settings)) {
    return *error;
  }
  const auto& known = std::get<StreamSettings>(settings);
  auto plan = plan_stream(known.start, server_.models().infos(), {});
  if (const auto* error = std::get_if<Error>(&plan)) {
    return error->message;
  }
  const JournaledStream& stream = history_.stream;
  if (stream.channel && server_.channels().is_taken(*stream.channel)) {
    return "channel '" + *stream.channel + "' already has another sender";
  }
  const StreamIdentity identity{server_.next_stream_number(),
                                stream.name,
                                stream.key,
                                stream.channel,
                                ready_on_this_clock(history_, server_.environment()),
                                calendar_time(stream.started),
                                known.start.source};
  const StreamSession::Options options{known, Seconds(server_.options().limits.silence_seconds),
                                       /*numbered=*/true};
  parts_.emplace(Stream::Parts{StreamSession(server_.models(), identity, options,
                                             std::get<StreamPlan>(std::move(plan)).tracks),
                               std::make_unique<StreamPublisher>(server_, owner_, nullptr),
                               server_.journal(),
                               /*journaled=*/true});
  if (stream.channel) {
    parts_->publisher->reserve(*stream.channel, stream.name);
    parts_->publisher->claim(parts_->session.description());
  }
  return std::nullopt;
}

bool StreamReplayer::replay(std::size_t rows) {
  for (; rows > 0 && !error_ && next_ < history_.rows.size(); --rows, ++next_) {
    error_ = replay(history_.rows[next_]);
  }
  return error_ || next_ == history_.rows.size();
}

// Replays one journal row and verifies that the session produces the same output.
std::optional<std::string> StreamReplayer::replay(const JournalRow& row) {
  if (row.input.empty()) {
    return std::nullopt;
  }
  StreamSession& session = parts_->session;
  const auto parsed = parse_input(row.input, session.identity().number);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    return *error;
  }
  const auto& input = std::get<StreamInput>(parsed);
  const TimePoint then = session.identity().ready + Clock::duration(row.at);
  session.replay(input, then);
  if (const auto* message = std::get_if<protocol::ClientMessage>(&input)) {
    parts_->stats.received(row.input.size());
    if (std::holds_alternative<protocol::Configure>(*message)) {
      parts_->publisher->update(session.tracks());
    }
  }
  SessionOutput output = session.take_output();
  std::vector<std::string> lines = session.lines_of(output);
  if (session->complete()) {
    lines.push_back(session.end_line(reason_, then));
  }
  if (to_jsonl(lines) != row.lines) {
    return "its history was written with other settings or by another version";
  }
  for (const CompletedScores& completed : output.completed) {
    parts_->stats.completed(completed.scores);
  }
  for (const Outgoing& outgoing : output.messages) {
    parts_->stats.on_message(outgoing.message);
    if (!std::holds_alternative<protocol::Metrics>(outgoing.message)) {
      parts_->publisher->deliver(outgoing);
    }
  }
  return std::nullopt;
}

// Returns the end of the stream, or nullopt if it has not ended.
std::optional<StreamEnd> StreamReplayer::end() const {
  if (!history_.ended) {
    return std::nullopt;
  }
  return StreamEnd{reason_,
                   reason_ == ByeReason::kError ? std::optional(error_of(history_)) : std::nullopt};
}

std::variant<std::shared_ptr<Stream>, std::string> StreamReplayer::release() {
  if (error_) {
    return *std::move(error_);
  }
  parts_->publisher->flush_held_source();
  const std::optional<StreamEnd> end = this->end();
  auto stream = std::make_shared<Stream>(server_, owner_, *std::move(parts_));
  stream->begin_restored(end);
  return stream;
}

std::variant<std::shared_ptr<Stream>, std::string> restore_stream(ServerContext& server,
                                                                  StreamOwner& owner,
                                                                  const StreamHistory& history) {
  StreamReplayer replayer(server, owner, history);
  replayer.replay(StreamReplayer::kAll);
  return replayer.release();
}

}  // namespace surtitle
