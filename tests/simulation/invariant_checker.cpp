#include "tests/simulation/invariant_checker.h"

#include <variant>

namespace surtitle {

void InvariantChecker::on_message(std::string_view text) {
  const auto parsed = protocol::parse_server_message(text);
  const auto* message = std::get_if<protocol::ServerMessage>(&parsed);
  if (message == nullptr) {
    faults_.push_back("the daemon sends an invalid message: " + std::string(text));
  } else if (const auto* ready = std::get_if<protocol::Ready>(message)) {
    // The rest of a stream whose sender has left is sent without the name of the stream.
    stream_ = ready->stream.value_or(ready->after ? stream_ : "");
    backlog_ = ready->backlog ? ready->backlog->messages : 0;
    if (ready->resume && disk_.stream(stream_) == nullptr) {
      faults_.push_back("ready before the journal has stream " + stream_);
    }
  } else if (const auto* state = std::get_if<protocol::State>(message)) {
    stream_ = state->stream.value_or("");
  } else if (const auto* ack = std::get_if<protocol::Ack>(message)) {
    check_ack(*ack);
  } else if (backlog_ > 0) {
    --backlog_;
  } else if (const std::int64_t event = protocol::event_of(*message); event > 0) {
    check_event(event, text);
  }
}

void InvariantChecker::check_ack(const protocol::Ack& ack) {
  const StoredStream* stored = disk_.stream(stream_);
  if (stored == nullptr || stored->seq < ack.seq) {
    faults_.push_back("ack " + std::to_string(ack.seq) + " of " + stream_ +
                      " before the journal has it");
  }
  if (ack.seq <= acknowledged_) {
    faults_.push_back("ack " + std::to_string(ack.seq) + " after " + std::to_string(acknowledged_));
  }
  acknowledged_ = ack.seq;
}

void InvariantChecker::check_event(std::int64_t event, std::string_view text) {
  const StoredStream* stored = disk_.stream(stream_);
  const auto line = stored == nullptr ? std::map<std::int64_t, std::string>::const_iterator()
                                      : stored->lines.find(event);
  if (stored == nullptr || line == stored->lines.end()) {
    faults_.push_back("sent before the journal has it: " + std::string(text));
  } else if (line->second != text) {
    faults_.push_back("sent is " + std::string(text) + ", the journal has " + line->second);
  }
}

}  // namespace surtitle
