#include "tests/daemon/support/steady_sender.h"

#include <boost/json.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kTryAgain{10};
constexpr std::int64_t kAhead = 3;  // messages that may wait for their acknowledgement

}  // namespace

void ReceivedMessages::add(const boost::json::object& message) {
  const boost::json::value* event = message.if_contains("event");
  if (event == nullptr) {
    return;
  }
  if (event->as_int64() <= last_event()) {
    faults_.push_back("event " + std::to_string(event->as_int64()) + " after " +
                      std::to_string(last_event()));
  }
  messages_[event->as_int64()] = message;
}

std::map<int, std::string> ReceivedMessages::texts(const std::string& type,
                                                   const std::string& field,
                                                   const std::string& track) const {
  std::map<int, std::string> texts;
  for (const auto& [event, message] : messages_) {
    const std::string of = message.contains("track") ? text_of(message, "track") : "";
    if (type_of(message) == type && of == track) {
      texts[number_of(message, "sentence")] += text_of(message, field);
    }
  }
  return texts;
}

std::map<int, std::string> ReceivedMessages::written(const std::string& track) const {
  return texts("write", "text", track);
}

std::map<int, std::string> ReceivedMessages::finished(const std::string& track) const {
  return texts("sentence", "target", track);
}

std::string ReceivedMessages::source() const {
  std::string all;
  for (const auto& [event, message] : messages_) {
    if (type_of(message) == "source") {
      all.append(all.empty() ? "" : " ").append(text_of(message, "text"));
    }
  }
  return all;
}

void SteadySender::run(const std::vector<std::string>& texts) {
  bool done = false;
  while (!done) {
    try {
      done = port_() != 0 && attempt(texts);
    } catch (const std::runtime_error&) {
      done = false;  // the connection was lost or refused
    }
    if (!done) {
      std::this_thread::sleep_for(kTryAgain);
    }
  }
}

// Returns true once all is sent and received.
bool SteadySender::attempt(const std::vector<std::string>& texts) {
  TestClient client(port_(), "/v1/stream");
  if (start_.resume) {
    start_.resume->seq = acknowledged_;
    start_.resume->event = received_.last_event();
  }
  send(client, start_);
  const std::optional<boost::json::object> ready = client.read();
  if (!ready) {
    return false;
  }
  if (type_of(*ready) == "error") {
    const std::string code = text_of(*ready, "code");
    if (code == "draining" || code == "too-many-streams") {
      return false;
    }
    if (!start_.resume && code == "channel-busy") {
      return false;  // its stream of the attempt before has the channel; its `ready` was lost
    }
    throw std::logic_error(text_of(*ready, "message"));
  }
  const boost::json::object& resume = ready->at("resume").as_object();
  std::int64_t sent = 0;
  if (start_.resume) {
    ++resumed_;
    check_return(*ready);
    sent = resume.at("seq").as_int64();
  } else {
    start_.resume = protocol::Resume{text_of(*ready, "stream"), text_of(resume, "key")};
  }
  if (begun_ != nullptr) {
    begun_->happened();
  }
  const auto last = static_cast<std::int64_t>(texts.size());
  for (bool finished = false; !finished;) {
    while (sent < last && sent < acknowledged_ + kAhead) {
      send(client, protocol::Source{sent + 1, texts[static_cast<std::size_t>(sent)], {}});
      ++sent;
    }
    if (acknowledged_ == last) {
      send(client, protocol::Finish{});
      finished = true;
    } else if (const auto message = client.read()) {
      on_message(*message);
    } else {
      return false;
    }
    if (lose(client)) {
      return false;
    }
  }
  while (const auto message = client.read()) {
    on_message(*message);
    if (type_of(*message) == "bye") {
      return true;
    }
    if (lose(client)) {
      return false;
    }
  }
  return false;
}

// Checks that the daemon has every acknowledged message and still has every event to send again.
void SteadySender::check_return(const boost::json::object& ready) {
  const std::int64_t resumed_at = ready.at("resume").as_object().at("seq").as_int64();
  if (resumed_at < acknowledged_) {
    received_.fault("message " + std::to_string(acknowledged_) +
                    " was acknowledged, and the stream is resumed at " +
                    std::to_string(resumed_at));
  }
  if (const auto* warnings = ready.if_contains("warnings")) {
    for (const auto& warning : warnings->as_array()) {
      received_.fault("warned when it resumed: " + std::string(warning.as_string()));
    }
  }
}

bool SteadySender::lose(TestClient& client) {
  if (std::uniform_real_distribution<>(0, 1)(random_) >= chance_) {
    return false;
  }
  if (random_() % 2 == 0) {
    half_open_.push_back(std::move(client));
  }
  return true;
}

void SteadySender::on_message(const boost::json::object& message) {
  if (type_of(message) == "ack") {
    acknowledged_ = message.at("seq").as_int64();
  } else if (type_of(message) == "error") {
    throw std::logic_error(text_of(message, "message"));
  }
  received_.add(message);
}

}  // namespace surtitle
