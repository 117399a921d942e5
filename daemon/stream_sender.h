// One connection to /v1/stream: ties its socket, its session, the batching loop and its channel
// together.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/access/visitor.h"
#include "daemon/connection.h"
#include "daemon/hub.h"
#include "daemon/session.h"
#include "daemon/stream_log.h"

namespace surtitle {

class StreamSender : public ConnectionHandler {
 public:
  // `visitor`: who sends; nobody: the daemon itself, which may all.
  explicit StreamSender(Hub& hub, std::shared_ptr<Visitor> visitor = nullptr);
  ~StreamSender() override;

  std::uint64_t number() const noexcept { return number_; }

  // --- from the connection ---
  void opened(Connection& connection) override;
  void received(std::string_view text, TimePoint now) override;
  void broken(const protocol::Error& error) override;
  bool may_read() const override;
  std::optional<TimePoint> deadline() const override;
  void deadline_passed(TimePoint now) override;
  void closed() override;

  // --- from within the daemon ---
  // Once all that was said is translated as far as the policies let it; one at a time. Never called
  // where the stream ends before. REQUIRES: a started stream.
  void when_settled(std::function<void()> settled);

  // --- from the hub ---
  void translated(std::span<const TranslationEvent> events, TimePoint now);
  void inbox_has_room(TimePoint now);
  void drain(TimePoint now);

 private:
  void receive(const protocol::ClientMessage& message, TimePoint now);
  std::optional<protocol::Error> begin(const protocol::Start& start, TimePoint now);
  void begin_session(const protocol::Start& start, const StreamPlan& plan, TimePoint now);
  void configure(const protocol::Configure& configure);
  TrackSetting setting(const TrackPlan& plan) const;
  std::vector<protocol::Track> tracks() const;
  void flush();
  void tell_viewers(TimePoint now);
  void say(const Outgoing& outgoing);
  void submit(SessionOutput& output);
  void measure(const SessionOutput& output);
  void fail(const protocol::Error& error);
  void begin_log(const protocol::Start& start, TimePoint ready);
  void log_output(const SessionOutput& output);
  void log_lag_of(const TrackPlan& track, int sentence);
  void end_log(protocol::ByeReason reason);
  void leave();

  Hub& hub_;
  const Hub::Guest guest_;
  const std::shared_ptr<Visitor> visitor_;
  const std::uint64_t number_;
  Connection* connection_ = nullptr;

  // From the start on.
  std::optional<Session> session_;
  std::string name_;
  std::vector<TrackPlan> tracks_;  // as they are configured now
  bool attention_ = false;         // whether it was asked for
  std::optional<std::string> channel_;
  std::optional<StreamLog> log_;
  // That the loops' inboxes had no room for, by model.
  std::map<std::size_t, std::vector<TranslationCommand>> unsent_;

  int viewers_ = 0;         // of the channel, as the sender was told
  TimePoint viewers_told_;  // when

  std::function<void()> settled_;
  int settling_ = 0;  // models that have yet to answer

  bool entered_ = false;  // counted by the hub
  bool over_ = false;     // bye is said or cannot be
  int words_counted_ = 0;
  int revisions_counted_ = 0;
};

}  // namespace surtitle
