#include "tests/daemon/support/steady_viewer.h"

#include <boost/json.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kTryAgain{10};

}  // namespace

// Gives give_up() access to the connection.
class SteadyViewer::Followed {
 public:
  Followed(SteadyViewer& viewer, TestClient& connection) : viewer_(viewer) { set(&connection); }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;
  ~Followed() { set(nullptr); }

 private:
  void set(TestClient* connection) {
    const std::lock_guard lock(viewer_.mutex_);
    viewer_.connection_ = connection;
  }
  SteadyViewer& viewer_;
};

void SteadyViewer::begin() {
  first_.emplace(connect());
  first_->read_until("ready");
}

void SteadyViewer::run(std::size_t sentences) {
  sentences_ = sentences;
  bool done = follow(*first_);
  first_.reset();
  while (!done && !given_up_) {
    std::this_thread::sleep_for(kTryAgain);
    try {
      if (port_() != 0) {
        TestClient client = connect();
        done = follow(client);
      }
    } catch (const std::runtime_error&) {
      continue;  // the connection was lost or refused
    }
  }
}

TestClient SteadyViewer::connect() const {
  const std::string after =
      stream_.empty() ? "" : "?backlog=1000&after=" + stream_ + ":" + std::to_string(event_);
  return {port_(), "/v1/channels/" + channel_ + after};
}

void SteadyViewer::give_up() {
  given_up_ = true;
  has_received_ = true;
  const std::lock_guard lock(mutex_);
  if (connection_ != nullptr) {
    connection_->cut();
  }
}

// Returns true once everything is received.
bool SteadyViewer::follow(TestClient& client) {
  const Followed followed(*this, client);
  while (!given_up_) {
    const std::optional<boost::json::object> message = client.read();
    if (!message) {
      return false;
    }
    on_message(*message);
    if (std::exchange(came_late_, false)) {
      return false;
    }
    if (!spoken_ && !received_.empty() && received_.back().finished().size() >= sentences_) {
      return true;
    }
  }
  return false;
}

void SteadyViewer::begin_stream(const std::string& name) {
  stream_ = name;
  event_ = 0;
  // A sender that did not receive its `ready`, as the daemon was killed, starts another stream.
  if (received_.empty() || received_.back().last_event() > 0) {
    received_.emplace_back();
  }
}

void SteadyViewer::on_message(const boost::json::object& message) {
  const std::string type = type_of(message);
  if (type == "ready") {
    spoken_ = message.contains("stream");
    if (!stream_.empty() && event_ == 0 && !message.contains("after")) {
      received_.pop_back();  // the daemon was killed before the stream was in the journal
      stream_.clear();
    }
    if (!stream_.empty()) {
      if (!message.contains("after") || message.at("after").as_int64() != event_) {
        throw std::logic_error("the viewer cannot continue: " + boost::json::serialize(message));
      }
      ++resumed_;
    } else if (spoken_ || message.contains("backlog")) {
      // A stream started while the viewer was away, and may have ended. A backlog has whole
      // sentences only; the next connection asks for all events from the first one on.
      begin_stream(spoken_ ? text_of(message, "stream")
                           : text_of(message.at("backlog").as_object(), "stream"));
      came_late_ = true;
    }
  } else if (type == "state") {
    spoken_ = message.at("sender").as_bool();
    if (spoken_) {
      begin_stream(text_of(message, "stream"));
    }
  } else if (message.contains("event")) {
    received_.back().add(message);
    event_ = message.at("event").as_int64();
    if (told_ != nullptr) {
      told_->happened();
    }
    has_received_ = true;
  }
}

}  // namespace surtitle
