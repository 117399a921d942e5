// The handler of one connection of alignatt, the protocol of WhisperLiveKit's translation backend.
//
// It is a sender without a socket: it turns `init` into `start`, and the new words of an update
// into `source` and `tail`. The answer to an update follows the `draft`, when all of its words are
// translated as far as the policy allows. Updates that wait meanwhile are merged. An utterance that
// is too long is ended with a forced final answer.
//
// A client that reconnects begins another stream, which continues its accepted text. A client may
// keep its connection when its session is over. So the channel of a session that was silent for
// kIdle is given to the next one, and the connection is closed after kMaxIdle.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "daemon/alignatt/alignatt_plan.h"
#include "daemon/alignatt/alignatt_protocol.h"
#include "daemon/alignatt/utterance.h"
#include "daemon/channels/connection.h"
#include "daemon/streams/stream_registry.h"
#include "daemon/streams/stream_sender.h"

namespace surtitle {

class AlignattSession;

// The sessions that have a stream.
using AlignattSessions = std::set<AlignattSession*>;

class AlignattSession : public ConnectionHandler, private Connection {
 public:
  static constexpr std::chrono::seconds kIdle{10};
  static constexpr std::chrono::minutes kMaxIdle{10};

  AlignattSession(StreamRegistry& streams, std::shared_ptr<AlignattSessions> sessions,
                  const std::shared_ptr<AuthenticatedClient>& client, alignatt::UrlQuery query);
  ~AlignattSession() override;

  void on_open(Connection& connection) override;
  void on_message(std::string_view text, TimePoint now) override;
  void on_protocol_error(const protocol::Error& error) override;
  bool may_read() const override;
  bool is_self_limiting() const override { return true; }
  std::optional<TimePoint> deadline() const override;
  void on_deadline(TimePoint now) override;
  void on_close(bool on_purpose) noexcept override;

 private:
  enum class State { kNew, kStarting, kOpen, kOver };

  // --- of the client ---
  void begin(const alignatt::Init& init, TimePoint now);
  std::optional<std::string> choose_channel(TimePoint now);
  bool free_channel(const std::string& channel, TimePoint now);
  bool idle(TimePoint now) const { return !working_ && now - last_message_ >= kIdle; }
  void add(alignatt::Update update, TimePoint now);
  bool may_work() const { return state_ == State::kOpen && !working_ && !waiting_.empty(); }
  void work(TimePoint now);
  void force_end(alignatt::Update& update) const;
  void translate(const alignatt::Update& update, TimePoint now);
  void answer(const alignatt::Update& update);
  void reply(std::string json);
  void leave(bool on_purpose) noexcept;

  // --- of the stream, as its connection ---
  void send_to_stream(const protocol::ClientMessage& message, TimePoint now);
  void send(OutgoingText outgoing) override;
  void end(std::uint16_t close_code) override;
  void wake() override { connection_->wake(); }
  PeerCloseProbe peer_close_probe() override { return connection_->peer_close_probe(); }

  StreamRegistry& streams_;
  const std::shared_ptr<AlignattSessions> sessions_;
  const std::shared_ptr<AuthenticatedClient> client_;
  const alignatt::UrlQuery query_;
  StreamSender sender_;
  Connection* connection_ = nullptr;
  State state_ = State::kNew;
  TimePoint last_message_;
  std::string direction_;
  std::optional<std::string> channel_;
  std::string prefix_;  // of the first utterance, until it begins

  std::int64_t seq_ = 0;  // of messages to the stream
  std::optional<alignatt::Utterance> utterance_;
  std::deque<alignatt::Update> waiting_;
  std::optional<alignatt::Update> working_;  // until its draft arrives
  bool unasked_ = false;                     // no answer is sent for working_
  TimePoint idle_since_;                     // when working_ was reset
  std::optional<TimePoint> triggered_at_;    // of the first write since the last answer
};

}  // namespace surtitle
