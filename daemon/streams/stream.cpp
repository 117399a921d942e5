#include "daemon/streams/stream.h"

#include <algorithm>
#include <set>
#include <utility>

#include "daemon/base/crypto.h"
#include "daemon/base/try_or_log.h"
#include "daemon/base/utc_time.h"
#include "daemon/journal/journal_codec.h"
#include "daemon/translation/words_of_speech.h"

namespace surtitle {

using protocol::ByeReason;
using protocol::Error;
using protocol::ErrorCode;

namespace {

constexpr std::size_t kKeyBytes = 16;

constexpr std::string_view kEndFailed = "Ending a stream failed";

}  // namespace

// --- begin ---

Stream::Stream(ServerContext& server, StreamOwner& owner, Parts parts)
    : server_(server),
      owner_(owner),
      session_(std::move(parts.session)),
      commit_queue_(parts.journal, session_.identity().number, parts.journaled),
      publisher_(std::move(parts.publisher)),
      last_seq_(session_->last_seq()),
      stats_(parts.stats),
      words_counted_(session_->source_words()),
      arrived_words_(session_->source_words()),
      arrived_pieces_(session_->source_pieces()),
      revisions_counted_(session_->revisions()) {}

std::shared_ptr<Stream> make_stream(ServerContext& server, StreamOwner& owner,
                                    const protocol::Start& start, std::vector<TrackPlan> tracks,
                                    Connection& connection, Stream::Kind kind, TimePoint now) {
  Journal* const journal = kind == Stream::Kind::kDurable ? server.journal() : nullptr;
  const protocol::Limits& limits = server.options().limits;
  StreamIdentity identity{server.next_stream_number(),
                          server.make_stream_name(),
                          to_base64url(server.environment().random_bytes(kKeyBytes)),
                          start.channel,
                          now,
                          server.environment().calendar_time(),
                          start.source};
  const StreamSession::Options options{{start, limits.sentence_words, limits.queued_words},
                                       Seconds(limits.silence_seconds),
                                       /*numbered=*/journal != nullptr};
  return std::make_shared<Stream>(
      server, owner,
      Stream::Parts{StreamSession(server.models(), std::move(identity), options, std::move(tracks)),
                    std::make_unique<StreamPublisher>(server, owner, &connection), journal});
}

void Stream::begin(const protocol::Start& start, const std::vector<std::string>& warnings) {
  state_ = State::kOpen;
  const StreamIdentity& identity = session_.identity();
  if (identity.channel) {
    publisher_->reserve(*identity.channel, identity.name);
  }
  const CalendarTime started = identity.started;
  const std::vector<protocol::Track> tracks = session_.tracks();
  const stream_log::Head head{utc_time(started), identity.name, channel(),    start.source,
                              start.source_form, tracks,        start.heading};
  const std::vector<std::string> lines = session_.first_lines(head);
  if (server_.stream_logs() != nullptr) {
    log_.emplace(*server_.stream_logs(), stream_log_name(head));
    log_->append(lines);
  }
  PendingOutput first;
  first.messages.push_back({Audience::kSender, ready(warnings), std::nullopt});
  if (durable()) {
    const protocol::Limits& limits = server_.options().limits;
    const StreamSettings settings{resolve_start(start, tracks), limits.sentence_words,
                                  limits.queued_words};
    commit_queue_.push(
        {.stream = identity.name,
         .begins = JournaledStream{identity.name, identity.key, channel(),
                                   milliseconds_since_1970(started), to_json(settings)},
         .row = JournalRow{0, {}, to_jsonl(lines)}},
        std::move(first));
  } else {
    emit(first);
  }
  for (const protocol::Track& track : tracks) {
    log_line(LogLevel::kInfo, "Stream started",
             {{"track", track.name}, {"model", track.model}, {"policy", track.policy}});
  }
  for (const std::string& warning : warnings) {
    log_line(LogLevel::kWarning, "Stream started with a warning", {{"warning", warning}});
  }
}

void Stream::begin_restored(const std::optional<StreamEnd>& end) {
  if (end) {
    stream_end_ = *end;
    close();  // it is kept for a sender that has not received the end
    return;
  }
  state_ = State::kOpen;
  session_->open_again();
  SessionOutput output = session_->take_output();
  submit(output);
}

void Stream::log_line(LogLevel level, std::string_view message, LogFields fields) const {
  log_stream(level, message, name(), channel(), std::move(fields));
}

Stream::~Stream() {
  close();
  if (session_) {  // close() could not cancel its sentences for lack of memory
    try_or_log(kEndFailed, [&] { cancel_sentences(); });
  }
}

protocol::Ready Stream::ready(std::vector<std::string> warnings) const {
  const std::vector<protocol::Track> shown = session_.tracks();
  protocol::Ready ready{name(),
                        channel(),
                        shown.front().model,
                        shown.front().policy,
                        std::move(warnings),
                        server_.options().limits,
                        shown};
  ready.heading = session_.heading();
  if (durable()) {
    ready.resume =
        protocol::Resumption{session_.identity().key, server_.options().resume_timeout.count(), {}};
  }
  return ready;
}

StreamInfo Stream::info(TimePoint now) const {
  const std::vector<protocol::Track> tracks = session_.tracks();
  StreamInfo info;
  info.name = name();
  info.channel = channel();
  info.attached = attached();
  info.model = tracks.front().model;
  info.policy = tracks.front().policy;
  info.tracks = static_cast<int>(tracks.size());
  info.age = now - session_.identity().ready;
  info.words_in = words_counted_;
  info.words_out = stats_.words_out();
  info.delay_p50 = stats_.delays().quantile(0.5);
  info.delay_p99 = stats_.delays().quantile(0.99);
  return info;
}

// --- the sender ---

bool Stream::may_resume(const protocol::Resume& resume) const {
  return durable() && resume.stream == name() && same_secret(resume.key, session_.identity().key);
}

void Stream::attach(Connection& connection, const protocol::Resume& resume, TimePoint now) {
  publisher_->attach(connection, now);
  report_detached();
  quota_leases_.clear();
  if (session_) {
    session_->sender_is_back(now);
  }
  resumed_ = true;
  std::vector<std::string> warnings;
  if (resume.seq > last_seq_) {
    warnings.push_back("messages " + std::to_string(last_seq_ + 1) + " to " +
                       std::to_string(resume.seq) +
                       " were acknowledged, but the journal has lost them");
  }
  if (std::optional<std::string> missing = publisher_->missing_after(resume.event)) {
    warnings.push_back(*std::move(missing));
  }
  protocol::Ready again = ready(std::move(warnings));
  again.resume->seq = last_seq_;
  publisher_->replay_missed(again, resume.event);
  server_.metrics().resumed();
  log_line(LogLevel::kInfo, "Stream resumed", {{"event", resume.event}});
  if (closed()) {
    publisher_->send_end(stream_end_);
  }
}

void Stream::detach(bool on_purpose, std::vector<Lease> quota_leases, TimePoint now) noexcept {
  publisher_->detach();
  if (ended()) {
    return;
  }
  if (!durable()) {
    close();
  } else if (on_purpose) {
    state_ = State::kEnding;
    if (!try_or_log(kEndFailed, [&] { end({}, {ByeReason::kSenderLeft}, {}, {}, now); })) {
      close();
    }
  } else {
    quota_leases_ = std::move(quota_leases);
    try_or_log("Reporting a detached stream failed", [&] { start_resume_timer(now); });
    try_or_log("Logging failed", [&] {
      log_line(LogLevel::kInfo, "Stream detached",
               {{"seconds", server_.options().resume_timeout.count()}});
    });
    owner_.wake();
  }
}

void Stream::displace() {
  if (!ended()) {
    state_ = State::kEnding;
    stream_end_ = {ByeReason::kSenderLeft};
    try_or_log(kEndFailed, [&] { end({}, stream_end_, {}, {}, server_.now()); });
  }
  close();
}

void Stream::release_ownership(const std::optional<Error>& error) {
  if (closed()) {
    return;
  }
  commit_queue_.clear();
  if (error) {
    server_.metrics().error(error->code);
    stream_end_ = {ByeReason::kError, error};
    publisher_->send_end(stream_end_);
  } else {
    publisher_->close(protocol::kCloseTryAgainLater);
  }
  publisher_->flush_held_source();
  publisher_->hand_off();
  close();
}

void Stream::start_resume_timer(TimePoint now) {
  resume_deadline_ = now + to_duration(server_.options().resume_timeout);
  report_detached();
}

// A stream whose source is finished waits for nothing.
std::optional<TimePoint> Stream::interrupted_until() const {
  return attached() || ended() || session_->finished() ? std::nullopt
                                                       : std::optional(resume_deadline_);
}

void Stream::report_detached() {
  publisher_->set_interrupted(interrupted_until());
  owner_.on_detached(*this);
}

void Stream::receive(const protocol::ClientMessage& message, std::string_view text, TimePoint now) {
  // The sender did not know yet that the stream was finished: by itself on another connection, or
  // by a drain.
  if (ended() || ((resumed_ || owner_.draining()) && session_->finished())) {
    return;
  }
  stats_.received(text.size());
  const std::optional<Error> error = session_.receive(message, now);
  if (std::holds_alternative<protocol::Configure>(message)) {
    publisher_->update(session_.tracks());
  }
  count_arrivals(now);
  last_seq_ = session_->last_seq();
  if (error) {
    fail(*error);
  } else {  // a tail changes no later output, so that the journal does not need it
    flush(now, std::holds_alternative<protocol::Tail>(message) ? std::string() : std::string(text));
  }
}

// Counts the words that were added to sentences since the last call.
void Stream::count_arrivals(TimePoint now) {
  const int words = surtitle::words_of_speech(
      session_->source_words() - std::exchange(arrived_words_, session_->source_words()),
      session_->source_pieces() - std::exchange(arrived_pieces_, session_->source_pieces()));
  words_of_speech_ += words;
  const bool faster_than_realtime = realtime_rate_.add(words, now);
  if (faster_than_realtime) {
    faster_than_realtime_until_ = now;
  }
  for (const TrackPlan& track : session_.plans()) {
    server_.admission().add_words(track.model, words, faster_than_realtime, now);
  }
}

bool Stream::may_read() const {
  return blocked_commands_.empty() && !commit_queue_.full() &&
         session_->queued_words() < server_.options().limits.queued_words;
}

std::optional<TimePoint> Stream::deadline() const {
  std::optional<TimePoint> deadline = publisher_->deadline();
  const auto sooner = [&](TimePoint other) {
    deadline = std::min(deadline.value_or(other), other);
  };
  if (ended()) {
    return deadline;
  }
  if (session_->finished()) {
    return deadline;
  }
  if (!attached()) {
    sooner(resume_deadline_);
  } else if (const std::optional<TimePoint> silence = session_->deadline()) {
    sooner(*silence);
  }
  return deadline;
}

void Stream::on_deadline(TimePoint now) {
  if (closed()) {
    return;
  }
  publisher_->on_deadline(now);
  if (ended()) {
    return;
  }
  if (attached()) {
    session_->on_deadline(now);
    flush(now, silence_input());
  } else if (now >= resume_deadline_ && !session_->finished()) {
    log_line(LogLevel::kInfo, "Stream resume timed out");
    finish(now);
  }
}

void Stream::when_idle(std::function<void()> on_idle) {
  on_idle_ = std::move(on_idle);
  const std::vector<std::size_t> of_tracks = session_.models();
  const std::set<std::size_t> models(of_tracks.begin(), of_tracks.end());
  busy_models_ = static_cast<int>(models.size());
  watch_reported_ = false;
  SessionOutput output;
  for (const std::size_t model : models) {
    output.commands[model].push_back(
        {TranslationCommand::Kind::kNotifyWhenIdle, {number(), 0, 0}, nullptr, {}});
  }
  submit(output);
}

// --- its owner ---

void Stream::translated(std::span<const TranslationEvent> events, TimePoint now) {
  if (ended()) {
    return;
  }
  std::optional<Error> error;
  std::vector<TranslationEvent> written;
  int tokens = 0;
  for (const TranslationEvent& event : events) {
    if (event.idle) {
      --busy_models_;
    } else if (!error) {
      error = session_->translated(event, now);
      tokens += event.end || event.failure || event.start || event.draft ? 0 : 1;
      watch_reported_ = watch_reported_ || event.start;
      if (durable() && !event.failure && !event.draft) {
        written.push_back(event);
      }
    }
  }
  count_arrivals(now);
  server_.metrics().target_tokens(tokens);
  flush(now, written.empty() ? std::string() : to_json(written));
  if (error) {
    log_line(LogLevel::kError, "Translation failed", {{"error", error->message}});
    fail(*error);
  }
  if (on_idle_ && busy_models_ == 0) {
    const std::function<void()> on_idle = std::exchange(on_idle_, nullptr);
    if (watch_reported_ || session_->holds_words()) {
      when_idle(on_idle);  // words were added to sentences after the models were asked
    } else {
      on_idle();
    }
  }
  publisher_->wake();
}

void Stream::inbox_has_room() {
  if (!closed() && !blocked_commands_.empty()) {
    SessionOutput nothing_new;
    submit(nothing_new);
  }
}

void Stream::finish(TimePoint now) {
  if (!ended() && !session_->finished()) {
    if (owner_.draining()) {
      state_ = State::kDraining;
    }
    session_->finish(now);
    flush(now, protocol::to_json(protocol::ClientMessage(protocol::Finish())));
  }
}

// Output that is committed but not published yet is published by the next process. A sender that
// has sent finish is sent the end by this one.
void Stream::hand_off() {
  if (!ended() && !session_->finished()) {
    publisher_->close(protocol::kCloseServiceRestart);
    publisher_->flush_held_source();
    publisher_->hand_off();
    close();
  }
}

void Stream::on_committed() {
  if (closed()) {
    return;
  }
  const bool waited = !may_read();
  if (const std::optional<PendingOutput> output = commit_queue_.pop()) {
    emit(*output);
  }
  if (waited && !closed()) {
    publisher_->wake();
  }
}

// --- end ---

void Stream::fail(const Error& error) {
  if (ended()) {
    return;
  }
  state_ = State::kEnding;
  server_.metrics().error(error.code);
  log_line(LogLevel::kInfo, "Stream failed",
           {{"code", protocol::name(error.code)}, {"error", error.message}});
  const ByeReason reason =
      error.code == ErrorCode::kDraining ? ByeReason::kDraining : ByeReason::kError;
  end({}, {reason, error}, {protocol::to_json(protocol::ServerMessage(error))}, {}, server_.now());
}

void Stream::abort(const Error& error) noexcept {
  if (!ended() && try_or_log(kEndFailed, [&] { fail(error); })) {
    return;
  }
  if (!closed()) {
    publisher_->close(close_code(error.code));
  }
  stream_end_ = {ByeReason::kError, make_error_noexcept(error.code, error.message)};
  close();
}

// Releases all resources of the stream, even if a step fails: other streams need them. The
// connection may still be sending.
void Stream::close() noexcept {
  const State before = std::exchange(state_, State::kClosed);
  if (before == State::kClosed) {
    return;
  }
  blocked_commands_.clear();
  commit_queue_.clear();
  quota_leases_.clear();
  try_or_log(kEndFailed, [&] {
    if (log_) {
      log_->append({session_.end_line(ByeReason::kSenderLeft, server_.now())});
    }
  });
  log_.reset();
  const bool cancelled = try_or_log(kEndFailed, [&] { cancel_sentences(); });
  if (before != State::kNew) {  // else its history had the end, which is reported already
    try_or_log(kEndFailed, [&] { report_end(); });
  }
  try_or_log(kEndFailed, [&] { publisher_->flush_held_source(); });
  try_or_log(kEndFailed, [&] { publisher_->release(); });
  if (cancelled) {
    session_.close();
  }
  owner_.on_closed(*this);
}

void Stream::cancel_sentences() {
  for (const auto& [model, sentences] : session_->open_sentences()) {
    server_.models().cancel_sentences(model, sentences);
  }
}

void Stream::report_end() const {
  LogFields fields{{"reason", protocol::name(stream_end_.reason)}};
  if (stream_end_.error) {
    fields.emplace_back("code", protocol::name(stream_end_.error->code));
  }
  const std::vector<protocol::Track> tracks = session_.tracks();
  const protocol::Track& first = tracks.front();
  fields.emplace_back("seconds",
                      milliseconds_between(session_.identity().ready, server_.now()) / 1000);
  fields.emplace_back("model", first.model);
  fields.emplace_back("policy", first.policy);
  fields.emplace_back("tracks", static_cast<std::int64_t>(tracks.size()));
  fields.emplace_back("words_in", session_->source_words());
  stats_.add_to(fields);
  fields.emplace_back("bytes_out", static_cast<std::int64_t>(publisher_->bytes_out()));
  const bool handed_off =
      durable() && owner_.draining() && !session_->complete() && !stream_end_.error;
  if (!handed_off) {
    server_.metrics().finished(stream_end_.reason);
  }
  log_line(LogLevel::kInfo, handed_off ? "Stream handed off" : "Stream ended", fields);
}

}  // namespace surtitle
