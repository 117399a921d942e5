#include "tests/simulation/simulated_connection.h"

#include <utility>

namespace surtitle {
namespace {

constexpr std::chrono::seconds kCloseTime{5};  // as WebsocketSession's

}  // namespace

SimulatedConnection::SimulatedConnection(Simulation& simulation, const Network& network,
                                         Client client, Witness witness)
    : simulation_(simulation),
      rng_(simulation.make_die()),
      network_(network),
      client_(std::move(client)),
      witness_(std::move(witness)),
      to_client_(simulation, network.pace),
      to_daemon_(simulation, network.pace),
      outgoing_(network.outgoing_messages, network.outgoing_bytes) {}

// Runs `event` after a delay, unless the handler is gone by then.
void SimulatedConnection::event(Clock::duration delay, std::function<void()> event) {
  simulation_.after(delay, [self = shared_from_this(), event = std::move(event)] {
    if (self->handler_) {
      event();
    }
  });
}

void SimulatedConnection::open(std::unique_ptr<ConnectionHandler> handler) {
  handler_ = std::move(handler);
  handler_->on_open(*this);
  watch();
}

void SimulatedConnection::process_died() {
  severed_ = true;
  ended_ = true;
  told_closed_ = true;
  handler_.reset();
  simulation_.after(rng_.duration(network_.pace),
                    [self = shared_from_this()] { self->tell_lost(); });
}

// --- the client ---

void SimulatedConnection::say(std::string text) {
  to_daemon_.send([self = shared_from_this(), text = std::move(text)] {
    if (!self->severed_) {
      self->incoming_.emplace_back(text);
      self->read();
    }
  });
}

void SimulatedConnection::close() {
  to_daemon_.send([self = shared_from_this()] {
    if (!self->severed_) {
      self->incoming_.emplace_back();
      self->read();
    }
  });
  detach_client();
}

void SimulatedConnection::stand_still(Clock::duration time) {
  still_until_ = std::max(still_until_, simulation_.now() + time);
  event(time, [this] { write(); });
}

void SimulatedConnection::cut(Clock::duration daemon_notices, Clock::duration client_notices) {
  severed_ = true;
  event(daemon_notices, [this] { tell_closed(/*on_purpose=*/false); });
  simulation_.after(client_notices, [self = shared_from_this()] { self->tell_lost(); });
}

void SimulatedConnection::tell_lost() {
  if (!std::exchange(told_lost_, true) && client_.lost) {
    const auto lost = std::exchange(client_, {}).lost;
    lost();
  }
}

// --- reading ---

bool SimulatedConnection::may_read() const {
  return !ended_ && handler_->may_read() && !outgoing_.more_than_half_full();
}

void SimulatedConnection::read() {
  if (!handler_ || reading_ || incoming_.empty() || !may_read()) {
    return;
  }
  reading_ = true;
  event(Clock::duration::zero(), [this] { read_one(); });
}

void SimulatedConnection::read_one() {
  reading_ = false;
  if (incoming_.empty() || !may_read()) {
    return;
  }
  const std::optional<std::string> message = std::move(incoming_.front());
  incoming_.pop_front();
  if (!message) {
    severed_ = true;
    tell_closed(/*on_purpose=*/true);
    return;
  }
  simulation_.trace("daemon receives " + *message);
  handler_->on_message(*message, simulation_.now());
  watch();
  read();
}

void SimulatedConnection::wake() {
  event(Clock::duration::zero(), [this] {
    read();
    watch();
  });
}

Connection::PeerCloseProbe SimulatedConnection::peer_close_probe() {
  return [self = shared_from_this()] {
    return !self->incoming_.empty() && !self->incoming_.back().has_value();
  };
}

// --- writing ---

void SimulatedConnection::send(OutgoingText message) {
  if (ended_) {
    return;
  }
  witness_(*message.text);
  if (outgoing_.push(std::move(message))) {
    event(Clock::duration::zero(), [this] { write(); });
  } else if (!send_snapshot()) {
    outgoing_.clear();
    end(protocol::close_code(protocol::ErrorCode::kSlow));
    event(Clock::duration::zero(), [this] { tell_closed(/*on_purpose=*/false); });
  }
}

bool SimulatedConnection::send_snapshot() {
  if (std::exchange(catching_up_, true)) {
    return false;
  }
  const std::vector<SharedPayload> texts = handler_->snapshot(outgoing_.messages() + 1);
  if (texts.empty()) {
    return false;
  }
  simulation_.trace("a viewer is sent a snapshot");
  outgoing_.clear();
  for (const SharedPayload& text : texts) {
    witness_(*text);
    outgoing_.push({text, std::nullopt, /*counted=*/false});
  }
  event(Clock::duration::zero(), [this] { write(); });
  return true;
}

void SimulatedConnection::write() {
  if (writing_ || simulation_.now() < still_until_) {
    return;
  }
  if (outgoing_.empty()) {
    catching_up_ = false;
    if (ended_ && !severed_) {
      event(Clock::duration::zero(), [this] { tell_closed(/*on_purpose=*/false); });
    }
    return;
  }
  writing_ = true;
  event(rng_.duration(network_.pace), [this, message = outgoing_.pop()] { written(message); });
}

void SimulatedConnection::written(const OutgoingText& message) {
  writing_ = false;
  outgoing_.written(message);
  if (!severed_) {
    to_client_.send([self = shared_from_this(), text = message.text] {
      if (self->client_.received) {
        self->simulation_.trace("client receives " + *text);
        const auto received = self->client_.received;
        received(*text);
      }
    });
  }
  read();
  write();
}

void SimulatedConnection::end(std::uint16_t /*close_code*/) {
  if (std::exchange(ended_, true)) {
    return;
  }
  event(Clock::duration::zero(), [this] { write(); });
  event(kCloseTime, [this] { tell_closed(/*on_purpose=*/false); });
}

// --- time ---

void SimulatedConnection::watch() {
  if (!handler_ || ended_) {
    return;
  }
  const std::optional<TimePoint> deadline = handler_->deadline();
  if (!deadline || watched_ == deadline) {
    watched_ = deadline;
    return;
  }
  watched_ = deadline;
  simulation_.at(*deadline, [self = shared_from_this(), deadline = *deadline] {
    if (self->handler_ && self->watched_ == deadline) {
      self->passed(deadline);
    }
  });
}

void SimulatedConnection::passed(TimePoint deadline) {
  watched_.reset();
  if (!ended_ && !told_closed_) {
    if (handler_->deadline() == deadline) {
      handler_->on_deadline(simulation_.now());
    }
    watch();
  }
}

// --- the end ---

void SimulatedConnection::tell_closed(bool on_purpose) {
  if (std::exchange(told_closed_, true)) {
    return;
  }
  ended_ = true;
  if (!std::exchange(severed_, true)) {
    to_client_.send([self = shared_from_this()] { self->tell_lost(); });
  }
  handler_->on_close(on_purpose);
  event(Clock::duration::zero(), [this] { handler_.reset(); });
}

}  // namespace surtitle
