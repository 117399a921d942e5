#include "tests/simulation/simulated_viewer.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "tests/simulation/invariant_checker.h"

namespace surtitle {

SimulatedViewer::SimulatedViewer(Simulation& simulation, SimulatedDaemon& daemon,
                                 const SimulatedDisk& disk, std::string channel,
                                 SubscribeRequest request, Span away,
                                 std::vector<std::string>& faults)
    : simulation_(simulation),
      daemon_(daemon),
      disk_(disk),
      channel_(std::move(channel)),
      request_(std::move(request)),
      away_(away),
      faults_(faults),
      rng_(simulation.make_die()) {}

void SimulatedViewer::connect() {
  if (gone_) {
    return;
  }
  SubscribeRequest request = request_;
  backlog_ = 0;
  asked_.reset();
  if (!followed_.empty()) {
    asked_ = {followed_.back().stream, followed_.back().last()};
    request.after = asked_;
  }
  const auto auditor =
      std::make_shared<InvariantChecker>(disk_, faults_, asked_ ? asked_->stream : std::string());
  connection_ = daemon_.connect_viewer(
      channel_, request, {[this](std::string_view text) { received(text); }, [this] { lost(); }},
      [auditor](std::string_view text) { auditor->on_message(text); });
  if (!connection_) {
    lost();
  }
}

void SimulatedViewer::lost() {
  connection_ = nullptr;
  simulation_.after(rng_.duration(away_), [this] { connect(); });
}

void SimulatedViewer::leave() {
  gone_ = true;
  if (connection_) {
    connection_->close();
  }
}

void SimulatedViewer::lose_connection(Clock::duration daemon_notices, Clock::duration own) {
  if (connection_) {
    connection_->cut(daemon_notices, own);
  }
}

void SimulatedViewer::stand_still(Clock::duration time) {
  if (connection_) {
    connection_->stand_still(time);
  }
}

void SimulatedViewer::received(std::string_view text) {
  const auto parsed = protocol::parse_server_message(text);
  const auto& message = std::get<protocol::ServerMessage>(parsed);
  if (const auto* ready = std::get_if<protocol::Ready>(&message)) {
    take_ready(*ready);
  } else if (const auto* state = std::get_if<protocol::State>(&message)) {
    if (state->stream) {
      follow(*state->stream, 0);
    }
  } else if (std::holds_alternative<protocol::CatchUp>(message)) {
    ++caught_up_;
    asked_.reset();  // a snapshot follows
  } else if (backlog_ > 0) {
    --backlog_;
  } else if (const std::int64_t event = protocol::event_of(message); event > 0) {
    take_event(event, text);
  }
}

void SimulatedViewer::take_ready(const protocol::Ready& ready) {
  backlog_ = ready.backlog ? ready.backlog->messages : 0;
  if (asked_ && ready.after) {
    ++resumed_;
    if (*ready.after != asked_->event) {
      fault("the daemon continues after another event than requested");
    }
    return;
  }
  if (asked_) {
    followed_.back().cut_short = true;
  }
  if (asked_ && !may_be_forgotten(asked_->stream)) {
    fault("it cannot continue after event " + std::to_string(asked_->event) + " of " +
          asked_->stream);
  }
  if (ready.backlog) {
    follow(ready.backlog->stream, ready.backlog->event);
  } else if (ready.stream) {
    follow(*ready.stream, 0);
  }
}

void SimulatedViewer::follow(const std::string& stream, std::int64_t after) {
  const bool again = !followed_.empty() && followed_.back().stream == stream;
  if (!again || !followed_.back().received.empty() || followed_.back().after != after) {
    followed_.push_back({stream, after, {}});
  }
}

// The daemon need not know streams that never began, have no messages or have ended.
bool SimulatedViewer::may_be_forgotten(const std::string& stream) const {
  const StoredStream* stored = disk_.stream(stream);
  return stored == nullptr || stored->lines.empty() || stored->history.ended;
}

void SimulatedViewer::take_event(std::int64_t event, std::string_view text) {
  if (followed_.empty()) {
    fault("an event without a stream");
    return;
  }
  Followed& followed = followed_.back();
  if (event <= followed.last()) {
    fault("event " + std::to_string(event) + " after " + std::to_string(followed.last()));
  }
  followed.received[event] = text;
}

std::vector<std::string> SimulatedViewer::missing() const {
  std::vector<std::string> missing;
  for (auto followed = followed_.begin(); followed != followed_.end(); ++followed) {
    const StoredStream* stored = disk_.stream(followed->stream);
    if (stored == nullptr) {
      continue;
    }
    // A snapshot, or another beginning, has the rest.
    const auto next = std::next(followed);
    const bool cut_short =
        followed->cut_short || (next != followed_.end() && next->stream == followed->stream);
    for (const auto& [event, line] : stored->lines) {
      const auto parsed = protocol::parse_server_message(line);
      const auto track = track_of(std::get<protocol::ServerMessage>(parsed));
      const bool wanted = !track || !request_.filter.track || *track == *request_.filter.track;
      const bool due = event > followed->after && !(cut_short && event > followed->last());
      if (due && wanted && !followed->received.contains(event)) {
        missing.push_back("a viewer of " + channel_ + " did not receive " + line);
      }
    }
  }
  return missing;
}

void SimulatedViewer::fault(const std::string& what) {
  faults_.push_back("viewer of " + channel_ + ": " + what);
}

}  // namespace surtitle
