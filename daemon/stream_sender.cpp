#include "daemon/stream_sender.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "daemon/text.h"

namespace surtitle {

using protocol::ByeReason;
using protocol::Error;
using protocol::ErrorCode;

StreamSender::StreamSender(Hub& hub) : hub_(hub), guest_(hub), number_(hub.next_stream_number()) {}

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
  if (session_) {
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
  return session_ && !over_ ? session_->deadline() : std::nullopt;
}

void StreamSender::deadline_passed(TimePoint now) {
  if (session_ && !over_) {
    session_->tick(now);
    flush();
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
    error = error ? error : session_->translated(event, now);
  }
  hub_.metrics().target_tokens(static_cast<int>(
      std::count_if(events.begin(), events.end(),
                    [](const TranslationEvent& event) { return !event.end && !event.failure; })));
  flush();
  if (error) {
    spdlog::error("stream {}: {}", name_, error->message);
    fail(*error);
  }
  connection_->reconsider();
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
  const ModelInfo& model = hub_.models()[plan.model];
  protocol::Limits limits = hub_.options().limits;
  limits.sentence_tokens = model.max_source_tokens;
  SessionOptions options;
  options.stream = number_;
  options.policy = plan.policy;
  options.tokenizers = hub_.tokenizers(plan.model);
  options.sentence_words = limits.sentence_words;
  options.sentence_tokens = limits.sentence_tokens;
  options.message_words = limits.queued_words;
  options.silence = Seconds(limits.silence_seconds);
  options.agreement = start.agreement.value_or(protocol::kDefaultAgreement);
  session_.emplace(std::move(options), now);
  name_ = Hub::make_stream_name();
  policy_name_ = plan.policy->name();
  model_ = plan.model;
  connection_->send({share(protocol::Ready{name_, start.channel, model.name, plan.policy->spec(),
                                           plan.warnings, limits})});
  if (start.channel) {
    channel_ = start.channel;
    hub_.channels().claim(*channel_, {name_, model.name, plan.policy->spec()});
  }
  spdlog::info("stream {}: model {}, policy {}, channel {}", name_, model.name, plan.policy->spec(),
               channel_.value_or("none"));
  for (const std::string& warning : plan.warnings) {
    spdlog::warn("stream {}: {}", name_, warning);
  }
}

// Hands the session's output on; says goodbye where it is complete.
void StreamSender::flush() {
  SessionOutput output = session_->take_output();
  unsent_.insert(unsent_.end(), std::make_move_iterator(output.commands.begin()),
                 std::make_move_iterator(output.commands.end()));
  if (!unsent_.empty()) {
    hub_.submit(model_, unsent_);
  }
  for (const Outgoing& outgoing : output.messages) {
    say(outgoing);
  }
  measure();
  if (session_->complete() && !over_) {
    over_ = true;
    const bool draining = hub_.draining();
    connection_->send(
        {share(protocol::Bye{draining ? ByeReason::kDraining : ByeReason::kFinished})});
    connection_->end(draining ? protocol::close_code(ErrorCode::kDraining)
                              : protocol::kCloseNormal);
    leave();
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
  if (const auto* error = std::get_if<Error>(&outgoing.message)) {
    hub_.metrics().error(error->code);
    spdlog::warn("stream {}: {}", name_, error->message);
  } else if (const auto* revision = std::get_if<protocol::Revision>(&outgoing.message)) {
    spdlog::info(
        "stream {}: sentence {}: the recogniser now has {} in the place of {}, which stands", name_,
        revision->sentence, in_quotes(revision->heard), in_quotes(revision->committed));
  }
}

void StreamSender::measure() {
  hub_.metrics().source_words(session_->source_words() - words_counted_);
  words_counted_ = session_->source_words();
  if (const int more = session_->revisions() - revisions_counted_; more > 0) {
    hub_.metrics().revisions(more);
    revisions_counted_ += more;
  }
  for (const LatencyScores& scores : session_->take_completed_scores()) {
    hub_.metrics().sentence(policy_name_, scores);
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
  send_farewell(*connection_, error,
                error.code == ErrorCode::kDraining ? ByeReason::kDraining : ByeReason::kError);
  leave();
}

// Gives back what the stream holds; the connection may still be sending.
void StreamSender::leave() {
  if (!entered_) {
    return;
  }
  entered_ = false;
  unsent_.clear();
  if (session_) {
    hub_.give_up(model_, session_->open_sentences());
    spdlog::info("stream {}: over after {} words", name_, session_->source_words());
  }
  if (channel_) {
    hub_.channels().release(*std::exchange(channel_, std::nullopt));
  }
  hub_.leave(*this);
}

}  // namespace surtitle
