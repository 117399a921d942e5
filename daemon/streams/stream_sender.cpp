#include "daemon/streams/stream_sender.h"

#include <span>
#include <utility>
#include <variant>

#include "daemon/backplane/backplane.h"
#include "daemon/base/try_or_log.h"

namespace surtitle {

using protocol::Error;
using protocol::ErrorCode;

StreamSender::StreamSender(StreamRegistry& streams, Stream::Kind kind,
                           std::shared_ptr<AuthenticatedClient> client)
    : streams_(streams),
      server_(streams.server()),
      drain_guard_(streams),
      kind_(kind),
      client_(std::move(client)) {}

StreamSender::~StreamSender() { on_close(/*on_purpose=*/false); }

// Returns the stream, or nullptr if there is none, it has ended, or another connection has it.
Stream* StreamSender::stream() const {
  return stream_ && stream_->is_attached_to(*connection_) && !stream_->closed() ? stream_.get()
                                                                                : nullptr;
}

void StreamSender::on_open(Connection& connection) {
  connection_ = &connection;
  start_by_ = server_.now() + to_duration(server_.options().start_seconds);
  if (streams_.draining()) {
    drain();
  } else if (!streams_.enter(*this)) {
    fail(streams_.too_many_streams());
  } else {
    entered_ = true;
  }
}

void StreamSender::on_message(std::string_view text, TimePoint now) {
  if (over_ || (stream_ && stream() == nullptr)) {
    return;
  }
  if (pending_resume_) {
    buffered_message_ = std::string(text);
    return;
  }
  const Breadcrumb::Step step(server_.crumb(), "handling a message of a sender, in bytes",
                              std::ssize(text), now);
  const std::variant<protocol::ClientMessage, Error> parsed = protocol::parse_client_message(text);
  if (const auto* error = std::get_if<Error>(&parsed)) {
    on_protocol_error(*error);
    return;
  }
  const auto& message = std::get<protocol::ClientMessage>(parsed);
  const auto* start = std::get_if<protocol::Start>(&message);
  if (stream_) {
    stream_->receive(message, text, now);
    charge_words(now);
  } else if (start == nullptr) {
    fail({ErrorCode::kOutOfOrder, "the first message of a stream must be start"});
  } else if (start->resume) {
    resume(*start->resume);
  } else {
    begin(*start, now);
  }
}

void StreamSender::begin(protocol::Start start, TimePoint now) {
  start.glossary = server_.glossaries().of(start.channel, start.glossary);
  if (const Result<void> allowed = client_ ? client_->check_send(start.channel) : Result<void>();
      !allowed) {
    fail(allowed.error().to_protocol());
    return;
  }
  auto plan = plan_stream(start, server_.models().infos(), server_.models().defaults());
  if (const auto* error = std::get_if<Error>(&plan)) {
    fail(*error);
    return;
  }
  auto& planned = std::get<StreamPlan>(plan);
  const std::vector<std::size_t> asked = planned.models();
  if (const std::optional<Overload> overload = server_.admission().check(asked, now)) {
    fail({ErrorCode::kOverloaded, overload->message, overload->retry_seconds});
    return;
  }
  const std::shared_ptr<Stream> displaced =
      start.channel ? streams_.find_detached_on(*start.channel) : nullptr;
  const auto room = displaced ? std::span(displaced->quota_leases()) : std::span<const Lease>();
  if (const Result<void> allowed = client_ ? client_->check_begin(room) : Result<void>();
      !allowed) {
    fail(allowed.error().to_protocol());
    return;
  }
  if (displaced) {
    streams_.displace(displaced);
  }
  if (start.channel && server_.channels().is_taken(*start.channel)) {
    fail({ErrorCode::kChannelBusy, "channel '" + *start.channel +
                                       "' already has a sender; use another name or wait "
                                       "until that sender leaves"});
    return;
  }
  if (streams_.full()) {
    fail(streams_.too_many_streams());
    return;
  }
  close();
  stream_ =
      make_stream(server_, streams_, start, std::move(planned.tracks), *connection_, kind_, now);
  streams_.enter(stream_);
  server_.admission().on_admitted(asked);
  stream_->begin(start, planned.warnings);
}

// Asks the backplane first, if there is one, which replica has the stream. Drops the request if its
// sender has disconnected: the sender may have resumed on another replica, and would lose the
// stream there.
void StreamSender::resume(const protocol::Resume& resume) {
  const Connection::PeerCloseProbe left = connection_->peer_close_probe();
  if (left()) {
    over_ = true;
    return;
  }
  Backplane* others = server_.backplane();
  const std::shared_ptr<Stream> known = streams_.stream(resume.stream);
  if (others == nullptr || (known && known->closed() && known->covers(resume))) {
    resume_here(resume);
    return;
  }
  if (!known && streams_.full()) {
    fail(streams_.too_many_streams());
    return;
  }
  pending_resume_ = std::make_shared<bool>(true);
  const std::weak_ptr<bool> asked = pending_resume_;
  const auto gone = [asked, left] { return asked.expired() || left(); };
  others->resume(resume, gone, [this, others, asked, resume](ClaimResult::Status claim) {
    if (asked.expired()) {
      return;
    }
    pending_resume_.reset();
    using Status = ClaimResult::Status;
    const std::shared_ptr<Stream> here = streams_.stream(resume.stream);
    // The stream may have continued on another replica while Redis was unavailable.
    const bool unstable = claim == Status::kUnavailable || !others->membership_stable();
    const bool outdated = here && unstable && !here->covers(resume);
    // Redis is unavailable, or the stream has left this replica meanwhile.
    const bool lost = !here && (claim == Status::kUnavailable || claim == Status::kOwned);
    if (claim == Status::kRetryLater || outdated || lost) {
      over_ = true;  // resuming may succeed later: the close code asks the sender to try again
      connection_->end(protocol::kCloseTryAgainLater);
      close();
      return;
    }
    try {
      resume_here(resume);
      if (claim == Status::kUnavailable && stream_) {
        others->contest(resume.stream);
      }
      if (const std::optional<std::string> early = std::exchange(buffered_message_, std::nullopt)) {
        on_message(*early, server_.now());
      }
    } catch (const std::exception& failure) {
      on_protocol_error({ErrorCode::kInternal, std::string("internal error: ") + failure.what()});
    }
    connection_->wake();
  });
}

void StreamSender::resume_here(const protocol::Resume& resume) {
  std::shared_ptr<Stream> stream = streams_.stream(resume.stream);
  if (!stream || !stream->may_resume(resume)) {
    fail({ErrorCode::kResumeUnavailable,
          "cannot resume: there is no such stream, or the key is wrong; start without resume"});
    return;
  }
  if (const Result<void> allowed =
          client_ && stream->channel() ? client_->check_send(stream->channel()) : Result<void>();
      !allowed) {
    fail(allowed.error().to_protocol());
    return;
  }
  close();
  stream_ = std::move(stream);
  words_ = stream_->source_words();
  charged_ = stream_->words_of_speech();
  stream_->attach(*connection_, resume, server_.now());
  streams_.wake();
}

// Charges words after they were accepted, as the journal has them by then. The message that
// exhausts the quota is still accepted, and the next one ends the stream.
void StreamSender::charge_words(TimePoint now) {
  Stream* own = stream();
  if (!client_ || own == nullptr || own->source_words() <= words_) {
    return;
  }
  words_ = own->source_words();
  const int more = own->words_of_speech() - std::exchange(charged_, own->words_of_speech());
  if (const auto over = client_->charge_words(more, now)) {
    own->fail(*over);
  }
}

void StreamSender::on_protocol_error(const Error& error) {
  if (Stream* own = stream()) {
    error.code == ErrorCode::kInternal ? own->abort(error) : own->fail(error);
  } else if (!stream_) {
    fail(error);
  }
}

bool StreamSender::may_read() const {
  const Stream* own = stream();
  return !buffered_message_ && (own == nullptr || own->may_read());
}

std::optional<TimePoint> StreamSender::deadline() const {
  if (!stream_ && !over_) {
    return pending_resume_ ? std::nullopt : std::optional(start_by_);
  }
  const Stream* own = stream();
  return own == nullptr ? std::nullopt : own->deadline();
}

void StreamSender::on_deadline(TimePoint now) {
  if (!stream_ && !over_) {
    fail({ErrorCode::kOutOfOrder, "start did not arrive in time; send it right after connecting"});
  } else if (Stream* own = stream()) {
    own->on_deadline(now);
  }
}

void StreamSender::on_close(bool on_purpose) noexcept {
  over_ = true;
  pending_resume_.reset();
  if (stream_ && stream_->is_attached_to(*connection_)) {
    std::vector<Lease> quota_leases;
    try_or_log("Holding the quota of a detached stream failed",
               [&] { quota_leases = client_ ? client_->quota_leases() : std::vector<Lease>(); });
    stream_->detach(on_purpose, std::move(quota_leases), server_.now());
  }
  stream_.reset();
  close();
}

void StreamSender::when_idle(std::function<void()> on_idle) {
  stream_->when_idle(std::move(on_idle));
}

void StreamSender::drain() noexcept {
  fail(make_error_noexcept(ErrorCode::kDraining,
                           "the daemon is shutting down and accepts no new streams"));
}

void StreamSender::fail(const Error& error) noexcept {
  if (std::exchange(over_, true)) {
    return;
  }
  pending_resume_.reset();
  try_or_log("Reporting a rejected stream failed", [&] {
    server_.metrics().error(error.code);
    log(LogLevel::kInfo, "Stream rejected",
        {{"code", protocol::name(error.code)}, {"error", error.message}});
  });
  send_error_and_close(*connection_, error,
                       error.code == ErrorCode::kDraining ? protocol::ByeReason::kDraining
                                                          : protocol::ByeReason::kError);
  close();
}

// The registry no longer counts this sender; its stream counts instead, if it has begun.
void StreamSender::close() noexcept {
  if (std::exchange(entered_, false)) {
    streams_.leave(*this);
  }
}

}  // namespace surtitle
