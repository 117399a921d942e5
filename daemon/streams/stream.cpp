#include "daemon/streams/stream.h"

#include <algorithm>
#include <set>
#include <utility>

#include "daemon/base/crypto.h"
#include "daemon/base/text.h"
#include "daemon/base/try_or_log.h"
#include "daemon/journal/journal.h"
#include "daemon/journal/journal_codec.h"
#include "daemon/translation/words_of_speech.h"

namespace surtitle {

using protocol::ByeReason;
using protocol::Error;
using protocol::ErrorCode;

namespace {

constexpr std::size_t kKeyBytes = 16;
// Limits of the output that awaits its commit. Beyond them, the sender is not read.
constexpr std::size_t kMaxAwaitingCommit = 1024;
constexpr std::size_t kMaxAwaitingCommitBytes = std::size_t{1} << 20U;

constexpr std::string_view kEndFailed = "Ending a stream failed";

}  // namespace

// --- begin ---

Stream::Stream(Hub& hub, const protocol::Start& start, std::vector<TrackPlan> tracks,
               Connection& connection, Kind kind, TimePoint now)
    : hub_(hub),
      number_(hub.next_stream_number()),
      name_(hub.make_stream_name()),
      key_(to_base64url(hub.environment().random_bytes(kKeyBytes))),
      durable_(kind == Kind::kDurable && hub.journal() != nullptr),
      ready_(now),
      tracks_(std::move(tracks)),
      publisher_(hub, &connection) {
  const protocol::Limits& all = hub_.options().limits;
  begin_session(start, all.sentence_words, all.queued_words);
}

void Stream::begin(const protocol::Start& start, const std::vector<std::string>& warnings) {
  const protocol::Limits& all = hub_.options().limits;
  reserve(start.channel);
  const CalendarTime started = hub_.environment().calendar_time();
  const stream_log::Head head{utc_time(started), name_,   channel(), start.source,
                              start.source_form, tracks()};
  std::vector<std::string> lines{to_json(head)};
  for (const TrackPlan& track : tracks_) {
    add_lag_line(track, 0, lines);
  }
  if (hub_.stream_logs() != nullptr) {
    log_.emplace(*hub_.stream_logs(), stream_log_name(head));
    log_->append(lines);
  }
  awaiting_commit_.emplace_back().messages.push_back(
      {Audience::kSender, ready(warnings), std::nullopt});
  if (durable_) {
    const StreamSettings settings{resolve_start(start, tracks()), all.sentence_words,
                                  all.queued_words};
    hub_.journal()->append(
        number_, {.stream = name_,
                  .begins = JournaledStream{name_, key_, channel(),
                                            milliseconds_since_1970(started), to_json(settings)},
                  .row = JournalRow{0, {}, to_jsonl(lines)}});
    journaled_ = true;
  } else {
    emit(awaiting_commit_.front());
    awaiting_commit_.clear();
  }
  for (const protocol::Track& track : tracks()) {
    log_line(LogLevel::kInfo, "Stream started",
             {{"track", track.name}, {"model", track.model}, {"policy", track.policy}});
  }
  for (const std::string& warning : warnings) {
    log_line(LogLevel::kWarning, "Stream started with a warning", {{"warning", warning}});
  }
}

// Logs a line with the stream's name and channel.
void Stream::log_line(LogLevel level, std::string_view message, LogFields fields) const {
  if (const auto& name = channel()) {
    fields.insert(fields.begin(), {"channel", *name});
  }
  fields.insert(fields.begin(), {"stream", name_});
  log(level, message, fields);
}

Stream::~Stream() {
  close();
  if (session_) {  // close() could not cancel its sentences for lack of memory
    try_or_log(kEndFailed, [&] { cancel_sentences(); });
  }
}

void Stream::begin_session(const protocol::Start& start, int sentence_words, int message_words) {
  SessionOptions options;
  options.stream = number_;
  attention_ = start.attention;
  for (const TrackPlan& track : tracks_) {
    options.tracks.push_back({track.name, setting(track)});
  }
  options.source_language = start.source;
  options.source_form = start.source_form;
  options.sentence_words = sentence_words;
  options.message_words = message_words;
  options.silence = Seconds(hub_.options().limits.silence_seconds);
  options.agreement = start.agreement.value_or(protocol::kDefaultAgreement);
  options.echo = start.echo;
  session_.emplace(std::move(options), ready_);
}

void Stream::reserve(const std::optional<std::string>& channel) {
  if (channel) {
    publisher_.reserve(*channel, name_);
  }
}

void Stream::claim() {
  if (!std::exchange(published_, true) && channel()) {
    publisher_.claim(name_, tracks());
  }
}

protocol::Limits Stream::limits() const {
  protocol::Limits limits = hub_.options().limits;
  for (const TrackPlan& track : tracks_) {
    limits.sentence_tokens =
        std::min(limits.sentence_tokens, hub_.models()[track.model].max_source_tokens);
  }
  return limits;
}

protocol::Ready Stream::ready(std::vector<std::string> warnings) const {
  const std::vector<protocol::Track> shown = tracks();
  protocol::Ready ready{
      name_,    channel(), shown.front().model, shown.front().policy, std::move(warnings),
      limits(), shown};
  if (durable_) {
    ready.resume = protocol::Resumption{key_, hub_.options().resume_timeout.count(), {}};
  }
  return ready;
}

TrackSetting Stream::setting(const TrackPlan& plan) const {
  const ModelInfo& model = hub_.models()[plan.model];
  return {.model = plan.model,
          .model_name = model.name,
          .tokenizers = hub_.tokenizers(plan.model),
          .sentence_tokens = model.max_source_tokens,
          .trained_words = model.trained_words,
          .watches_starts = model.watches_starts,
          .policy = plan.policy,
          .lag = plan.lag,
          .attention = attention_};
}

std::vector<protocol::Track> Stream::tracks() const {
  std::vector<protocol::Track> tracks;
  for (const TrackPlan& plan : tracks_) {
    tracks.push_back({plan.name, plan.target, hub_.models()[plan.model].name, plan.policy_spec()});
  }
  return tracks;
}

StreamInfo Stream::view(TimePoint now) const {
  const TrackPlan& first = tracks_.front();
  StreamInfo view;
  view.name = name_;
  view.channel = channel();
  view.attached = attached();
  view.model = hub_.models()[first.model].name;
  view.policy = first.policy_spec();
  view.tracks = static_cast<int>(tracks_.size());
  view.age = now - ready_;
  view.words_in = words_counted_;
  view.words_out = stats_.words_out();
  view.delay_p50 = stats_.delays().quantile(0.5);
  view.delay_p99 = stats_.delays().quantile(0.99);
  return view;
}

std::vector<std::size_t> Stream::models() const {
  std::vector<std::size_t> models;
  for (const TrackPlan& track : tracks_) {
    models.push_back(track.model);
  }
  return models;
}

// --- the sender ---

bool Stream::may_resume(const protocol::Resume& resume) const {
  return durable_ && resume.stream == name_ && same_secret(resume.key, key_);
}

void Stream::attach(Connection& connection, const protocol::Resume& resume, TimePoint now) {
  publisher_.attach(connection, now);
  hub_.publish_detached(*this, false);
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
  if (std::optional<std::string> missing = publisher_.missing_after(resume.event)) {
    warnings.push_back(*std::move(missing));
  }
  protocol::Ready again = ready(std::move(warnings));
  again.resume->seq = last_seq_;
  publisher_.replay_missed(again, resume.event);
  hub_.metrics().resumed();
  log_line(LogLevel::kInfo, "Stream resumed", {{"event", resume.event}});
  if (closed_) {
    publisher_.send_end(stream_end_);
  }
}

void Stream::detach(bool on_purpose, std::vector<Lease> quota_leases, TimePoint now) noexcept {
  publisher_.detach();
  if (closed_ || ended_) {
    return;
  }
  if (!durable_) {
    close();
  } else if (on_purpose) {
    ended_ = true;
    if (!try_or_log(kEndFailed, [&] { end({}, {ByeReason::kSenderLeft}, {}, {}, now); })) {
      close();
    }
  } else {
    start_resume_timer(now);
    quota_leases_ = std::move(quota_leases);
    try_or_log("Reporting a detached stream to other replicas failed",
               [&] { hub_.publish_detached(*this, true); });
    try_or_log("Logging failed", [&] {
      log_line(LogLevel::kInfo, "Stream detached",
               {{"seconds", hub_.options().resume_timeout.count()}});
    });
    hub_.rearm();
  }
}

void Stream::displace() {
  if (!ended_) {
    ended_ = true;
    stream_end_ = {ByeReason::kSenderLeft};
    try_or_log(kEndFailed, [&] { end({}, stream_end_, {}, {}, hub_.now()); });
  }
  close();
}

void Stream::release_ownership(const std::optional<Error>& error) {
  if (closed_) {
    return;
  }
  awaiting_commit_.clear();
  if (error) {
    hub_.metrics().error(error->code);
    stream_end_ = {ByeReason::kError, error};
    publisher_.send_end(stream_end_);
  } else {
    publisher_.close(close_code(ErrorCode::kTooManyStreams));
  }
  publisher_.flush_held_source();
  publisher_.hand_off();
  close();
}

void Stream::start_resume_timer(TimePoint now) {
  resume_deadline_ = now + to_duration(hub_.options().resume_timeout);
}

void Stream::receive(const protocol::ClientMessage& message, std::string_view text, TimePoint now) {
  // The sender did not know yet that the stream was finished: by itself on another connection, or
  // by a drain.
  if (ended_ || ((resumed_ || hub_.draining()) && session_->finished())) {
    return;
  }
  stats_.received(text.size());
  const std::optional<Error> error = apply(message, now);
  count_arrivals(now);
  last_seq_ = session_->last_seq();
  if (error) {
    fail(*error);
  } else {
    flush(now, std::string(text));
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
  for (const TrackPlan& track : tracks_) {
    hub_.admission().arrived(track.model, words, faster_than_realtime, now);
  }
}

std::optional<Error> Stream::apply(const protocol::ClientMessage& message, TimePoint now) {
  const auto* configuration = std::get_if<protocol::Configure>(&message);
  if (configuration != nullptr && !session_->finished()) {
    configure(*configuration);
    return std::nullopt;
  }
  return session_->receive(message, now);
}

bool Stream::may_read() const {
  return blocked_commands_.empty() && awaiting_commit_.size() < kMaxAwaitingCommit &&
         awaiting_commit_bytes_ < kMaxAwaitingCommitBytes &&
         session_->queued_words() < hub_.options().limits.queued_words;
}

std::optional<TimePoint> Stream::deadline() const {
  std::optional<TimePoint> deadline = publisher_.deadline();
  const auto sooner = [&](TimePoint other) {
    deadline = std::min(deadline.value_or(other), other);
  };
  if (ended_) {
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

void Stream::tick(TimePoint now) {
  if (closed_) {
    return;
  }
  publisher_.tick(now);
  if (ended_) {
    return;
  }
  if (attached()) {
    session_->tick(now);
    flush(now, silence_record());
  } else if (now >= resume_deadline_ && !session_->finished()) {
    log_line(LogLevel::kInfo, "Stream was not resumed in time");
    finish(now);
  }
}

void Stream::when_idle(std::function<void()> on_idle) {
  on_idle_ = std::move(on_idle);
  std::set<std::size_t> models;
  for (const TrackPlan& track : tracks_) {
    models.insert(track.model);
  }
  busy_models_ = static_cast<int>(models.size());
  watch_reported_ = false;
  SessionOutput output;
  for (const std::size_t model : models) {
    output.commands[model].push_back(
        {TranslationCommand::Kind::kNotifyWhenIdle, {number_, 0, 0}, nullptr, {}});
  }
  submit(output);
}

// A change that is not possible causes a notice: a live event must not end by a wrong number.
void Stream::configure(const protocol::Configure& configure) {
  const std::string name = configure.track.value_or("");
  const auto track = std::find_if(tracks_.begin(), tracks_.end(),
                                  [&](const TrackPlan& known) { return known.name == name; });
  const auto refuse = [&](const std::string& why) {
    pending_notices_.push_back(
        {Audience::kSender, Error{ErrorCode::kNotConfigured, "configure: " + why}, std::nullopt});
  };
  if (track == tracks_.end()) {
    refuse("this stream has no track " + in_quotes(name));
    return;
  }
  auto change =
      plan_change(configure, *track, {session_->next_source_form(), attention_}, hub_.models());
  if (const auto* error = std::get_if<Error>(&change)) {
    refuse(error->message);
    return;
  }
  auto& plan = std::get<ChangePlan>(change);
  *track = std::move(plan.track);
  if (configure.source_form) {
    session_->configure(*configure.source_form);
  }
  for (const std::string& warning : plan.warnings) {
    log_line(LogLevel::kWarning, "Track configured with a warning", {{"warning", warning}});
  }
  session_->configure(static_cast<std::size_t>(track - tracks_.begin()), setting(*track),
                      std::move(plan.warnings));
  publisher_.update(tracks());
}

// --- the hub ---

void Stream::translated(std::span<const TranslationEvent> events, TimePoint now) {
  if (ended_) {
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
      tokens += event.end || event.failure || event.start ? 0 : 1;
      watch_reported_ = watch_reported_ || event.start;
      if (durable_ && !event.failure) {
        written.push_back(event);
      }
    }
  }
  count_arrivals(now);
  hub_.metrics().target_tokens(tokens);
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
  publisher_.wake();
}

void Stream::inbox_has_room() {
  if (!closed_ && !blocked_commands_.empty()) {
    SessionOutput nothing_new;
    submit(nothing_new);
  }
}

void Stream::finish(TimePoint now) {
  if (!ended_ && !session_->finished()) {
    ended_by_drain_ = hub_.draining();
    session_->finish(now);
    flush(now, protocol::to_json(protocol::ClientMessage(protocol::Finish())));
  }
}

// Output that is committed but not published yet is published by the next process. A sender that
// has sent finish is sent the end by this one.
void Stream::hand_off() {
  if (!ended_ && !session_->finished()) {
    publisher_.close(protocol::kCloseServiceRestart);
    publisher_.flush_held_source();
    publisher_.hand_off();
    close();
  }
}

void Stream::stored() {
  if (awaiting_commit_.empty()) {
    return;
  }
  const bool waited = !may_read();
  const PendingOutput output = std::move(awaiting_commit_.front());
  awaiting_commit_.pop_front();
  awaiting_commit_bytes_ -= output.bytes;
  emit(output);
  if (waited && !closed_) {
    publisher_.wake();
  }
}

// --- end ---

void Stream::fail(const Error& error) {
  if (ended_) {
    return;
  }
  ended_ = true;
  hub_.metrics().error(error.code);
  log_line(LogLevel::kInfo, "Stream failed",
           {{"code", protocol::name(error.code)}, {"error", error.message}});
  const ByeReason reason =
      error.code == ErrorCode::kDraining ? ByeReason::kDraining : ByeReason::kError;
  end({}, {reason, error}, {protocol::to_json(protocol::ServerMessage(error))}, {}, hub_.now());
}

void Stream::abort(const Error& error) noexcept {
  if (!ended_ && try_or_log(kEndFailed, [&] { fail(error); })) {
    return;
  }
  if (!closed_) {
    publisher_.close(close_code(error.code));
  }
  stream_end_ = {ByeReason::kError, make_error_noexcept(error.code, error.message)};
  close();
}

// Releases all resources of the stream, even if a step fails: other streams need them. The
// connection may still be sending.
void Stream::close() noexcept {
  if (std::exchange(closed_, true)) {
    return;
  }
  ended_ = true;
  blocked_commands_.clear();
  awaiting_commit_.clear();
  awaiting_commit_bytes_ = 0;
  quota_leases_.clear();
  try_or_log(kEndFailed, [&] {
    if (log_) {
      log_->append({end_line(ByeReason::kSenderLeft, hub_.now())});
    }
  });
  log_.reset();
  const bool cancelled = try_or_log(kEndFailed, [&] { cancel_sentences(); });
  try_or_log(kEndFailed, [&] { report_end(); });
  try_or_log(kEndFailed, [&] { publisher_.flush_held_source(); });
  try_or_log(kEndFailed, [&] { publisher_.release(); });
  if (cancelled) {
    session_.reset();
  }
  hub_.leave(*this);
}

void Stream::cancel_sentences() {
  for (const auto& [model, sentences] : session_->open_sentences()) {
    hub_.cancel_sentences(model, sentences);
  }
}

// Logs one line for each stream, except for one that had ended before it was restored.
void Stream::report_end() const {
  if (restored_) {
    return;
  }
  LogFields fields{{"reason", protocol::name(stream_end_.reason)}};
  if (stream_end_.error) {
    fields.emplace_back("code", protocol::name(stream_end_.error->code));
  }
  const protocol::Track first = tracks().front();
  fields.emplace_back("seconds", milliseconds_between(ready_, hub_.now()) / 1000);
  fields.emplace_back("model", first.model);
  fields.emplace_back("policy", first.policy);
  fields.emplace_back("tracks", static_cast<std::int64_t>(tracks_.size()));
  fields.emplace_back("words_in", session_->source_words());
  stats_.add_to(fields);
  fields.emplace_back("bytes_out", static_cast<std::int64_t>(publisher_.bytes_out()));
  const bool handed_off =
      durable_ && hub_.draining() && !session_->complete() && !stream_end_.error;
  if (!handed_off) {
    hub_.metrics().finished(stream_end_.reason);
  }
  log_line(LogLevel::kInfo, handed_off ? "Stream handed off" : "Stream ended", fields);
}

}  // namespace surtitle
