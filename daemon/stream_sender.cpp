#include "daemon/stream_sender.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "daemon/text.h"

namespace surtitle {

using protocol::ByeReason;
using protocol::Error;
using protocol::ErrorCode;

namespace {

constexpr std::chrono::seconds kViewersPause{1};  // between two counts of viewers

}  // namespace

StreamSender::StreamSender(Hub& hub, std::shared_ptr<Visitor> visitor)
    : hub_(hub), guest_(hub), visitor_(std::move(visitor)), number_(hub.next_stream_number()) {}

StreamSender::~StreamSender() { leave(); }

// --- from the connection ---

void StreamSender::opened(Connection& connection) {
  connection_ = &connection;
  if (hub_.draining()) {
    fail({ErrorCode::kDraining, "the daemon is going down and takes no new streams"});
  } else if (!hub_.enter(*this)) {
    fail({ErrorCode::kTooManyStreams, "all " + std::to_string(hub_.options().streams) +
                                          " streams of this daemon are taken; try again later"});
  } else {
    entered_ = true;
  }
}

void StreamSender::received(std::string_view text, TimePoint now) {
  if (over_) {
    return;
  }
  const std::variant<protocol::ClientMessage, Error> message = protocol::parse_client_message(text);
  if (const auto* error = std::get_if<Error>(&message)) {
    fail(*error);
  } else {
    receive(std::get<protocol::ClientMessage>(message), now);
  }
}

void StreamSender::receive(const protocol::ClientMessage& message, TimePoint now) {
  std::optional<Error> error;
  const auto* configuration = std::get_if<protocol::Configure>(&message);
  if (session_ && configuration != nullptr && !session_->finished()) {
    configure(*configuration);
    flush();
  } else if (session_) {
    error = session_->receive(message, now);
    flush();
  } else if (const auto* start = std::get_if<protocol::Start>(&message)) {
    error = begin(*start, now);
  } else {
    error = Error{ErrorCode::kOutOfOrder, "the first message of a stream must be start"};
  }
  if (error) {
    fail(*error);
  }
}

void StreamSender::broken(const Error& error) { fail(error); }

bool StreamSender::may_read() const {
  return unsent_.empty() &&
         (!session_ || session_->queued_words() < hub_.options().limits.queued_words);
}

std::optional<TimePoint> StreamSender::deadline() const {
  if (!session_ || over_) {
    return std::nullopt;
  }
  std::optional<TimePoint> deadline = session_->deadline();
  if (channel_ && hub_.channels().viewers(*channel_) != viewers_) {
    const TimePoint tell = viewers_told_ + kViewersPause;
    deadline = std::min(deadline.value_or(tell), tell);
  }
  return deadline;
}

void StreamSender::deadline_passed(TimePoint now) {
  if (session_ && !over_) {
    session_->tick(now);
    flush();
    tell_viewers(now);
  }
}

void StreamSender::tell_viewers(TimePoint now) {
  if (over_ || !channel_ || now < viewers_told_ + kViewersPause) {
    return;
  }
  const int viewers = hub_.channels().viewers(*channel_);
  if (viewers != viewers_) {
    viewers_ = viewers;
    viewers_told_ = now;
    connection_->send({share(protocol::Viewers{viewers})});
  }
}

void StreamSender::closed() {
  over_ = true;
  leave();
}

// --- from the hub ---

void StreamSender::translated(std::span<const TranslationEvent> events, TimePoint now) {
  if (over_) {
    return;
  }
  std::optional<Error> error;
  for (const TranslationEvent& event : events) {
    if (event.settled) {
      --settling_;
    } else {
      error = error ? error : session_->translated(event, now);
    }
  }
  hub_.metrics().target_tokens(static_cast<int>(
      std::count_if(events.begin(), events.end(), [](const TranslationEvent& event) {
        return !event.end && !event.failure && !event.settled;
      })));
  flush();
  if (error) {
    spdlog::error("stream {}: {}", name_, error->message);
    fail(*error);
  }
  if (settled_ && settling_ == 0) {
    std::exchange(settled_, nullptr)();
  }
  connection_->reconsider();
}

void StreamSender::when_settled(std::function<void()> settled) {
  settled_ = std::move(settled);
  std::set<std::size_t> models;
  for (const TrackPlan& track : tracks_) {
    models.insert(track.model);
  }
  settling_ = static_cast<int>(models.size());
  SessionOutput output;
  for (const std::size_t model : models) {
    output.commands[model].push_back(
        {TranslationCommand::Kind::kSettle, {number_, 0, 0}, nullptr, {}});
  }
  submit(output);
}

void StreamSender::inbox_has_room(TimePoint /*now*/) {
  if (!over_ && !unsent_.empty()) {
    flush();
    connection_->reconsider();
  }
}

void StreamSender::drain(TimePoint now) {
  if (over_) {
    return;
  }
  if (session_) {
    session_->finish(now);
    flush();
  } else {
    fail({ErrorCode::kDraining, "the daemon is going down and takes no new streams"});
  }
}

// --- the stream ---

std::optional<Error> StreamSender::begin(const protocol::Start& start, TimePoint now) {
  if (auto refused = visitor_ ? visitor_->may_send(start.channel) : std::nullopt) {
    return refused;
  }
  if (start.resume) {
    return Error{ErrorCode::kResumeUnavailable,
                 "field 'resume' of start: streams cannot be resumed; start without it"};
  }
  const auto plan = plan_stream(start, hub_.models(), hub_.options().defaults);
  if (const auto* error = std::get_if<Error>(&plan)) {
    return *error;
  }
  if (start.channel && hub_.channels().sender(*start.channel)) {
    return Error{ErrorCode::kChannelBusy, "channel '" + *start.channel +
                                              "' has a sender already; take another name or wait "
                                              "until it has gone"};
  }
  begin_session(start, std::get<StreamPlan>(plan), now);
  return std::nullopt;
}

void StreamSender::begin_session(const protocol::Start& start, const StreamPlan& plan,
                                 TimePoint now) {
  protocol::Limits limits = hub_.options().limits;
  SessionOptions options;
  options.stream = number_;
  attention_ = start.attention;
  for (const TrackPlan& track : plan.tracks) {
    options.tracks.push_back({track.name, setting(track)});
    limits.sentence_tokens =
        std::min(limits.sentence_tokens, hub_.models()[track.model].max_source_tokens);
  }
  options.source_form = start.source_form;
  options.sentence_words = limits.sentence_words;
  options.message_words = limits.queued_words;
  options.silence = Seconds(limits.silence_seconds);
  options.agreement = start.agreement.value_or(protocol::kDefaultAgreement);
  options.echo = start.echo;
  session_.emplace(std::move(options), now);
  name_ = Hub::make_stream_name();
  tracks_ = plan.tracks;
  const std::vector<protocol::Track> shown = tracks();
  connection_->send({share(protocol::Ready{name_, start.channel, shown.front().model,
                                           shown.front().policy, plan.warnings, limits, shown})});
  if (start.channel) {
    channel_ = start.channel;
    hub_.channels().claim(*channel_, {name_, shown, [this] { connection_->reconsider(); }});
    viewers_told_ = now - kViewersPause;
  }
  begin_log(start, now);
  for (const protocol::Track& track : shown) {
    spdlog::info("stream {}: {}model {}, policy {}, channel {}", name_,
                 track.name.empty() ? "" : "track " + track.name + ", ", track.model, track.policy,
                 channel_.value_or("none"));
  }
  for (const std::string& warning : plan.warnings) {
    spdlog::warn("stream {}: {}", name_, warning);
  }
}

TrackSetting StreamSender::setting(const TrackPlan& plan) const {
  const ModelInfo& model = hub_.models()[plan.model];
  return {.model = plan.model,
          .model_name = model.name,
          .tokenizers = hub_.tokenizers(plan.model),
          .sentence_tokens = model.max_source_tokens,
          .policy = plan.policy,
          .lag = plan.lag,
          .attention = attention_};
}

std::vector<protocol::Track> StreamSender::tracks() const {
  std::vector<protocol::Track> tracks;
  for (const TrackPlan& plan : tracks_) {
    tracks.push_back({plan.name, plan.target, hub_.models()[plan.model].name, plan.policy_spec()});
  }
  return tracks;
}

// What cannot be is a notice: a live event must not end by a wrong number.
void StreamSender::configure(const protocol::Configure& configure) {
  const std::string name = configure.track.value_or("");
  const auto track = std::find_if(tracks_.begin(), tracks_.end(),
                                  [&](const TrackPlan& known) { return known.name == name; });
  const auto refuse = [&](const std::string& why) {
    const Error notice{ErrorCode::kNotConfigured, "configure: " + why};
    say({Audience::kSender, notice, std::nullopt});
    if (log_) {
      log_->take(protocol::ServerMessage(notice));
    }
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
    if (log_) {
      log_->take(stream_log::FormChange{*configure.source_form});
    }
  }
  for (const std::string& warning : plan.warnings) {
    spdlog::warn("stream {}: {}", name_, warning);
  }
  session_->configure(static_cast<std::size_t>(track - tracks_.begin()), setting(*track),
                      std::move(plan.warnings));
  if (channel_) {
    hub_.channels().update(*channel_, tracks());
  }
}

// Hands the session's output on; says goodbye where it is complete.
void StreamSender::flush() {
  SessionOutput output = session_->take_output();
  submit(output);
  for (const Outgoing& outgoing : output.messages) {
    say(outgoing);
  }
  if (log_) {
    log_output(output);
  }
  measure(output);
  if (session_->complete() && !over_) {
    over_ = true;
    const bool draining = hub_.draining();
    const ByeReason reason = draining ? ByeReason::kDraining : ByeReason::kFinished;
    connection_->send({share(protocol::Bye{reason})});
    end_log(reason);
    connection_->end(draining ? protocol::close_code(ErrorCode::kDraining)
                              : protocol::kCloseNormal);
    leave();
  }
}

void StreamSender::submit(SessionOutput& output) {
  for (auto& [model, commands] : output.commands) {
    std::vector<TranslationCommand>& unsent = unsent_[model];
    unsent.insert(unsent.end(), std::make_move_iterator(commands.begin()),
                  std::make_move_iterator(commands.end()));
  }
  for (auto model = unsent_.begin(); model != unsent_.end();) {
    model = hub_.submit(model->first, model->second) ? unsent_.erase(model) : std::next(model);
  }
}

void StreamSender::say(const Outgoing& outgoing) {
  const bool to_channel = channel_ && outgoing.audience != Audience::kSender;
  const bool to_sender = outgoing.audience != Audience::kViewers;
  if (!to_channel && !to_sender) {
    return;
  }
  const SharedText text = share(outgoing.message);
  if (to_sender) {
    connection_->send({text, outgoing.cause});
  }
  if (to_channel) {
    hub_.channels().publish(*channel_, outgoing.message, text);
  }
  if (const auto* change = std::get_if<protocol::PolicyChange>(&outgoing.message)) {
    spdlog::info("stream {}: {}from sentence {} on model {}, policy {}{}", name_,
                 change->track.empty() ? "" : "track " + change->track + ", ", change->sentence,
                 change->model, change->policy, change->by_lag ? " to hold the lag" : "");
  }
  if (const auto* error = std::get_if<Error>(&outgoing.message)) {
    hub_.metrics().error(error->code);
    spdlog::warn("stream {}: {}", name_, error->message);
  } else if (const auto* revision = std::get_if<protocol::Revision>(&outgoing.message)) {
    spdlog::info(
        "stream {}: sentence {}: the recogniser now has {} in the place of {}, which stands", name_,
        revision->sentence, in_quotes(revision->heard), in_quotes(revision->committed));
  }
}

void StreamSender::measure(const SessionOutput& output) {
  const int words = session_->source_words() - words_counted_;
  hub_.metrics().source_words(words);
  words_counted_ += words;
  if (const auto over =
          visitor_ && words > 0 ? visitor_->take_words(words, Clock::now()) : std::nullopt) {
    fail(*over);
  }
  if (const int more = session_->revisions() - revisions_counted_; more > 0) {
    hub_.metrics().revisions(more);
    revisions_counted_ += more;
  }
  for (const CompletedScores& completed : output.completed) {
    hub_.metrics().sentence(completed.policy, completed.scores);
  }
}

void StreamSender::fail(const Error& error) {
  if (over_) {
    return;
  }
  over_ = true;
  hub_.metrics().error(error.code);
  spdlog::info("stream {}: {}: {}", name_.empty() ? "(not started)" : name_, name(error.code),
               error.message);
  const ByeReason reason =
      error.code == ErrorCode::kDraining ? ByeReason::kDraining : ByeReason::kError;
  send_farewell(*connection_, error, reason);
  if (log_) {
    log_->take(protocol::ServerMessage(error));
  }
  end_log(reason);
  leave();
}

void StreamSender::begin_log(const protocol::Start& start, TimePoint ready) {
  if (hub_.stream_logs() == nullptr) {
    return;
  }
  log_.emplace(*hub_.stream_logs(),
               stream_log::Head{utc_time(std::chrono::system_clock::now()), name_, channel_,
                                start.source, start.source_form, tracks()},
               ready);
  for (const TrackPlan& track : tracks_) {
    log_lag_of(track, 0);
  }
}

void StreamSender::log_output(const SessionOutput& output) {
  log_->take(output);
  for (const Outgoing& outgoing : output.messages) {
    const auto* change = std::get_if<protocol::PolicyChange>(&outgoing.message);
    if (change == nullptr || change->by_lag) {
      continue;
    }
    for (const TrackPlan& track : tracks_) {
      if (track.name == change->track) {
        log_lag_of(track, change->sentence);
      }
    }
  }
}

// What a lag that is to be held begins with: whoever replays the log need not hold it anew.
void StreamSender::log_lag_of(const TrackPlan& track, int sentence) {
  if (track.lag) {
    log_->take(protocol::PolicyChange{sentence, hub_.models()[track.model].name,
                                      track.lag->policy()->spec(), /*by_lag=*/true, track.name});
  }
}

void StreamSender::end_log(ByeReason reason) {
  if (log_) {
    log_->end(reason, session_->source_words());
    log_.reset();
  }
}

// Gives back what the stream holds; the connection may still be sending.
void StreamSender::leave() {
  if (!entered_) {
    return;
  }
  entered_ = false;
  end_log(ByeReason::kSenderLeft);
  unsent_.clear();
  if (session_) {
    for (const auto& [model, sentences] : session_->open_sentences()) {
      hub_.give_up(model, sentences);
    }
    spdlog::info("stream {}: over after {} words", name_, session_->source_words());
  }
  if (channel_) {
    hub_.channels().release(*std::exchange(channel_, std::nullopt));
  }
  hub_.leave(*this);
}

}  // namespace surtitle
