#include "tests/simulation/simulated_sender.h"

#include <utility>
#include <variant>

#include "tests/simulation/invariant_checker.h"

namespace surtitle {

using protocol::ErrorCode;

SimulatedSender::SimulatedSender(Simulation& simulation, SimulatedDaemon& daemon,
                                 const SimulatedDisk& disk, Script script, SenderHabits habits,
                                 std::vector<std::string>& faults)
    : simulation_(simulation),
      daemon_(daemon),
      disk_(disk),
      script_(std::move(script)),
      habits_(habits),
      faults_(faults),
      rng_(simulation.make_die()) {}

void SimulatedSender::connect() {
  const auto auditor = std::make_shared<InvariantChecker>(disk_, faults_);
  connection_ = daemon_.connect_sender(
      {[this](std::string_view text) { received(text); }, [this] { lost(); }},
      [auditor](std::string_view text) { auditor->on_message(text); });
  if (!connection_) {
    lost();
    return;
  }
  if (script_.start.resume) {
    script_.start.resume->seq = acknowledged_;
    script_.start.resume->event = received_.empty() ? 0 : received_.rbegin()->first;
  }
  connection_->say(protocol::to_json(protocol::ClientMessage(script_.start)));
}

void SimulatedSender::lost() {
  connection_ = nullptr;
  greeted_ = false;
  finished_ = false;
  if (!done_) {
    simulation_.after(rng_.duration(habits_.away), [this] { connect(); });
  }
}

void SimulatedSender::lose_connection(Clock::duration daemon_notices, Clock::duration own) {
  if (connection_) {
    connection_->cut(daemon_notices, own);
  }
}

void SimulatedSender::stand_still(Clock::duration time) {
  if (connection_) {
    connection_->stand_still(time);
  }
}

void SimulatedSender::received(std::string_view text) {
  const auto parsed = protocol::parse_server_message(text);
  const auto& message = std::get<protocol::ServerMessage>(parsed);
  if (const auto* ready = std::get_if<protocol::Ready>(&message)) {
    take_ready(*ready);
  } else if (const auto* ack = std::get_if<protocol::Ack>(&message)) {
    if (ack->seq < acknowledged_ || ack->seq > sent_) {
      fault("ack " + std::to_string(ack->seq) + " after " + std::to_string(acknowledged_) + " of " +
            std::to_string(sent_) + " sent");
    }
    acknowledged_ = ack->seq;
    talk_after_a_while();
  } else if (const auto* error = std::get_if<protocol::Error>(&message)) {
    take_error(*error);
  } else if (const auto* bye = std::get_if<protocol::Bye>(&message)) {
    received_all_ = bye->reason == protocol::ByeReason::kFinished;
    done_ = done_ || received_all_;
  } else if (const std::int64_t event = protocol::event_of(message); event > 0) {
    if (!received_.empty() && event <= received_.rbegin()->first) {
      fault("event " + std::to_string(event) + " after " +
            std::to_string(received_.rbegin()->first));
    }
    received_[event] = text;
  }
}

void SimulatedSender::take_ready(const protocol::Ready& ready) {
  greeted_ = true;
  if (script_.start.resume) {
    ++resumed_;
    if (!ready.resume || !ready.resume->seq || *ready.resume->seq < acknowledged_) {
      fault("acknowledged messages are lost");
    }
    sent_ = ready.resume && ready.resume->seq ? *ready.resume->seq : 0;
  } else {
    stream_ = ready.stream.value_or("");
    script_.start.resume =
        protocol::Resume{stream_, ready.resume ? ready.resume->key : std::string()};
  }
  for (const std::string& warning : ready.warnings) {
    if (warning.find("lost") != std::string::npos ||
        warning.find("no longer kept") != std::string::npos) {
      fault(warning);
    }
  }
  talk_after_a_while();
}

void SimulatedSender::take_error(const protocol::Error& error) {
  overloaded_ += error.code == ErrorCode::kOverloaded ? 1 : 0;
  const bool comes_back = error.code == ErrorCode::kOverloaded ||
                          error.code == ErrorCode::kChannelBusy ||
                          error.code == ErrorCode::kTooManyStreams ||
                          error.code == ErrorCode::kDraining || error.code == ErrorCode::kTakenOver;
  if (error.code == ErrorCode::kResumeUnavailable && is_past()) {
    done_ = true;
  } else if (!protocol::is_notice(error.code) && !comes_back) {
    fault(error.message);
  }
  if (error.code == ErrorCode::kOverloaded && script_.start.resume) {
    fault("a running stream is rejected");
  }
}

// Whether its stream ended too long ago, by the calendar as it is or as it was when the daemon
// started.
bool SimulatedSender::is_past() const {
  const StoredStream* stored = disk_.stream(stream_);
  const std::int64_t now = milliseconds_since_1970(simulation_.calendar_time());
  const auto resume = static_cast<std::int64_t>(1000 * ServerOptions().resume_timeout.count());
  return stored != nullptr && stored->history.ended &&
         (simulation_.calendar_was_set() || stored->ended + resume <= now);
}

void SimulatedSender::talk_after_a_while() {
  if (!greeted_ || std::exchange(talking_, true)) {
    return;
  }
  simulation_.after(rng_.duration(habits_.pace), [this] {
    talking_ = false;
    talk();
  });
}

void SimulatedSender::talk() {
  if (!greeted_ || finished_) {
    return;
  }
  const auto last = static_cast<std::int64_t>(script_.messages.size());
  if (habits_.end != SenderHabits::End::kFinishes && sent_ >= habits_.leaves_after) {
    leave();
  } else if (sent_ < last && sent_ < acknowledged_ + habits_.ahead) {
    connection_->say(protocol::to_json(script_.messages[static_cast<std::size_t>(sent_++)]));
    talk_after_a_while();
  } else if (sent_ == last) {
    connection_->say(protocol::to_json(protocol::ClientMessage(protocol::Finish())));
    finished_ = true;
  }
}

void SimulatedSender::leave() {
  done_ = true;
  greeted_ = false;
  if (habits_.end == SenderHabits::End::kCloses) {
    connection_->close();
  } else {
    connection_->cut(rng_.duration(habits_.away), Clock::duration::zero());
  }
}

std::vector<std::string> SimulatedSender::missing() const {
  std::vector<std::string> missing;
  const StoredStream* stored = received_all_ ? disk_.stream(stream_) : nullptr;
  if (stored == nullptr) {
    return missing;
  }
  for (const auto& [event, line] : stored->lines) {
    const auto parsed = protocol::parse_server_message(line);
    const bool source =
        std::holds_alternative<protocol::SourceMessage>(std::get<protocol::ServerMessage>(parsed));
    if (!received_.contains(event) && (!source || script_.start.echo)) {
      missing.push_back("the sender of " + stream_ + " did not receive " + line);
    }
  }
  return missing;
}

std::string SimulatedSender::state() const {
  return "sender of " + script_.start.channel.value_or("") + ", " +
         (connection_ == nullptr ? "not connected"
          : greeted_             ? "connected"
                                 : "waiting for ready") +
         ", has sent " + std::to_string(sent_) + " of " + std::to_string(script_.messages.size()) +
         ", acknowledged " + std::to_string(acknowledged_);
}

void SimulatedSender::fault(const std::string& what) {
  faults_.push_back("sender of " + script_.start.channel.value_or("") + ": " + what);
}

}  // namespace surtitle
