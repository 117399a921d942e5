#include "daemon/streams/stream_session.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "daemon/base/text.h"
#include "daemon/streams/stream_log.h"

namespace surtitle {

using protocol::Error;
using protocol::ErrorCode;

void log_stream(LogLevel level, std::string_view message, const std::string& name,
                const std::optional<std::string>& channel, LogFields fields) {
  if (channel) {
    fields.insert(fields.begin(), {"channel", *channel});
  }
  fields.insert(fields.begin(), {"stream", name});
  log(level, message, fields);
}

StreamSession::StreamSession(const ModelPool& models, StreamIdentity identity,
                             const Options& options, std::vector<TrackPlan> tracks)
    : models_(models),
      identity_(std::move(identity)),
      tracks_(std::move(tracks)),
      start_(options.settings.start),
      attention_(options.settings.start.attention),
      numbered_(options.numbered),
      heading_(options.settings.start.heading) {
  const protocol::Start& start = options.settings.start;
  SessionOptions session;
  session.stream = identity_.number;
  for (const TrackPlan& track : tracks_) {
    session.tracks.push_back({track.name, setting(track)});
  }
  session.source_language = start.source;
  session.source_form = start.source_form;
  session.sentence_words = options.settings.sentence_words;
  session.message_words = options.settings.message_words;
  session.silence = start.silence ? Seconds(*start.silence) : options.silence;
  session.target_prefix = start.target_prefix.value_or("");
  session.agreement = start.agreement.value_or(protocol::kDefaultAgreement);
  session.echo = start.echo;
  session.masks = make_masks(start.glossary, start.source);
  session_ = std::make_unique<Session>(std::move(session), identity_.ready);
}

// --- input ---

std::optional<Error> StreamSession::receive(const protocol::ClientMessage& message, TimePoint now) {
  const auto* configuration = std::get_if<protocol::Configure>(&message);
  if (configuration != nullptr && !session_->finished()) {
    configure(*configuration);
    return std::nullopt;
  }
  return session_->receive(message, now);
}

void StreamSession::replay(const StreamInput& input, TimePoint then) {
  if (const auto* message = std::get_if<protocol::ClientMessage>(&input)) {
    receive(*message, then);
  } else if (const auto* events = std::get_if<std::vector<TranslationEvent>>(&input)) {
    for (const TranslationEvent& event : *events) {
      session_->translated(event, then);
    }
  } else {
    session_->receive(protocol::EndSentence(), then);  // even if sentence.silence is longer now
  }
}

// A change that is not possible causes a notice: a live event must not end by a wrong number.
void StreamSession::refuse(const std::string& why) {
  pending_notices_.push_back(
      {Audience::kSender, Error{ErrorCode::kNotConfigured, "configure: " + why}, std::nullopt});
}

void StreamSession::configure(const protocol::Configure& configure) {
  for (const auto& [key, text] :
       {std::pair("title", &configure.title), std::pair("speaker", &configure.speaker)}) {
    if (*text && !protocol::is_heading_text(**text)) {
      refuse(std::string("field '") + key + "' must be " + std::string(protocol::kHeadingRule));
      return;
    }
  }
  if ((configure.title || configure.speaker) && !configure.track && !configure.model &&
      !configure.policy && !configure.source_form) {
    change_heading(configure);
    return;
  }
  const std::string name = configure.track.value_or("");
  const auto track = std::find_if(tracks_.begin(), tracks_.end(),
                                  [&](const TrackPlan& known) { return known.name == name; });
  if (track == tracks_.end()) {
    refuse("this stream has no track " + in_quotes(name));
    return;
  }
  auto change =
      plan_change(configure, *track, {session_->next_source_form(), attention_}, models_.infos());
  if (const auto* error = std::get_if<Error>(&change)) {
    refuse(error->message);
    return;
  }
  change_heading(configure);
  if (configure.glossary) {
    set_glossary(name, *configure.glossary);
  }
  auto& plan = std::get<ChangePlan>(change);
  *track = std::move(plan.track);
  if (configure.source_form) {
    session_->configure(*configure.source_form);
  }
  for (const std::string& warning : plan.warnings) {
    log_stream(LogLevel::kWarning, "Track configured with a warning", identity_.name,
               identity_.channel, {{"warning", warning}});
  }
  session_->configure(static_cast<std::size_t>(track - tracks_.begin()), setting(*track),
                      std::move(plan.warnings));
}

void StreamSession::change_heading(const protocol::Configure& configure) {
  const protocol::Heading changed{configure.title.value_or(heading_.title),
                                  configure.speaker.value_or(heading_.speaker)};
  if (changed != heading_) {
    heading_ = changed;
    pending_notices_.push_back({Audience::kBoth, protocol::HeadingChange{heading_}, std::nullopt});
  }
}

// Changes the glossary of a named track, or of the stream: with its masks, and with all tracks that
// have no glossary of their own.
void StreamSession::set_glossary(const std::string& track, const protocol::Glossary& glossary) {
  for (protocol::TrackRequest& request : start_.tracks) {
    if (request.name == track) {
      request.glossary = glossary;
    }
  }
  if (track.empty()) {
    start_.glossary = glossary;
    session_->configure(make_masks(glossary, start_.source));
  }
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    session_->configure(i, terms(tracks_[i]));
  }
}

// --- output ---

SessionOutput StreamSession::take_output() {
  SessionOutput output = session_->take_output();
  output.messages.insert(output.messages.begin(), std::make_move_iterator(pending_notices_.begin()),
                         std::make_move_iterator(pending_notices_.end()));
  for (SourceEnd& end : output.ends) {
    end.messages += pending_notices_.size();
  }
  pending_notices_.clear();
  if (numbered_) {
    for (Outgoing& outgoing : output.messages) {
      if (std::int64_t* event = protocol::event_of(outgoing.message)) {
        *event = ++last_event_;
      }
    }
  }
  return output;
}

std::vector<std::string> StreamSession::first_lines(const stream_log::Head& head) const {
  std::vector<std::string> lines{to_json(head)};
  for (const TrackPlan& track : tracks_) {
    add_lag_line(track, 0, lines);
  }
  return lines;
}

std::vector<std::string> StreamSession::lines_of(SessionOutput& output) const {
  std::vector<std::string> lines = log_lines(output);
  for (const Outgoing& outgoing : output.messages) {
    const auto* change = std::get_if<protocol::PolicyChange>(&outgoing.message);
    if (change == nullptr || change->by_lag) {
      continue;
    }
    for (const TrackPlan& track : tracks_) {
      if (track.name == change->track) {
        add_lag_line(track, change->sentence, lines);
      }
    }
  }
  return lines;
}

std::string StreamSession::end_line(protocol::ByeReason reason, TimePoint now) const {
  return to_json(stream_log::End{reason, milliseconds_between(identity_.ready, now),
                                 session_->source_words()});
}

// Records the policy with which a lag controller begins, so that a replay of the log needs no lag
// controller.
void StreamSession::add_lag_line(const TrackPlan& track, int sentence,
                                 std::vector<std::string>& lines) const {
  if (track.lag) {
    lines.push_back(protocol::to_json(protocol::ServerMessage(
        protocol::PolicyChange{sentence, models_.infos()[track.model].name,
                               track.lag->policy()->spec(), /*by_lag=*/true, track.name})));
  }
}

// --- tracks ---

std::shared_ptr<const TermList> StreamSession::terms(const TrackPlan& plan) const {
  const auto request =
      std::find_if(start_.tracks.begin(), start_.tracks.end(),
                   [&](const protocol::TrackRequest& one) { return one.name == plan.name; });
  const auto own =
      request == start_.tracks.end() ? std::optional(start_.glossary) : request->glossary;
  return make_terms(glossary_of_track(own, plan.target, start_), start_.source);
}

TrackSetting StreamSession::setting(const TrackPlan& plan) const {
  const ModelInfo& model = models_.infos()[plan.model];
  return {.model = plan.model,
          .model_name = model.name,
          .source_language = start_.source,
          .target_language = model.target_language_at(plan.model_target),
          .target = plan.model_target,
          .tokenizers = models_.tokenizers(plan.model),
          .sentence_tokens = model.max_source_tokens,
          .trained_words = model.trained_words,
          .watches_starts = model.watches_starts,
          .policy = plan.policy,
          .lag = plan.lag,
          .attention = attention_,
          .terms = terms(plan),
          .placeholders = model.placeholders};
}

std::vector<protocol::Track> StreamSession::tracks() const {
  std::vector<protocol::Track> tracks;
  for (const TrackPlan& plan : tracks_) {
    tracks.push_back(
        {plan.name, plan.target, models_.infos()[plan.model].name, plan.policy_spec()});
  }
  return tracks;
}

StreamDescription StreamSession::description() const {
  return {identity_.name, tracks(), identity_.source, identity_.started, heading_};
}

std::vector<std::size_t> StreamSession::models() const {
  std::vector<std::size_t> models;
  for (const TrackPlan& track : tracks_) {
    models.push_back(track.model);
  }
  return models;
}

std::size_t StreamSession::model_of(const protocol::ServerMessage& message) const {
  const auto* write = std::get_if<protocol::Write>(&message);
  const auto track = std::find_if(tracks_.begin(), tracks_.end(), [write](const TrackPlan& one) {
    return write != nullptr && one.name == write->track;
  });
  return track == tracks_.end() ? tracks_.front().model : track->model;
}

}  // namespace surtitle
