// The handler of one connection to /v1/channels/NAME, which receives the channel's messages.
//
// A viewer sends no messages. It begins with the present state of the channel, or continues after
// the position that the query of its URL names.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/access/request_error.h"
#include "daemon/channels/channel_registry.h"
#include "daemon/channels/connection.h"
#include "daemon/streams/stream_registry.h"

namespace surtitle {

// The query of a viewer's URL.
struct SubscribeRequest {
  ViewFilter filter;
  int backlog = 2;  // finished sentences in the first snapshot
  // The last position of a returning viewer. It receives all later messages in place of a snapshot.
  std::optional<ChannelPosition> after = {};

  static constexpr int kMaxBacklog = 1000;
};

// Parses "track=fr&backlog=20&attention=1&after=s-0123:57". Returns an error if a value is not
// allowed. Unknown fields are ignored.
Result<SubscribeRequest> parse_subscribe_request(std::string_view query);

class Viewer : public ConnectionHandler, public ChannelViewer {
 public:
  // REQUIRES: protocol::is_channel_name(channel).
  Viewer(StreamRegistry& streams, std::string channel, SubscribeRequest request);
  ~Viewer() override;

  void on_open(Connection& connection) override;
  void on_message(std::string_view text, TimePoint now) override;
  void on_protocol_error(const protocol::Error& error) override;
  bool may_read() const override { return true; }
  std::optional<TimePoint> deadline() const override { return std::nullopt; }
  void on_deadline(TimePoint now) override;
  void on_close(bool on_purpose) noexcept override;

  std::vector<SharedPayload> snapshot(int skipped) override;

  void deliver(const SharedPayload& message) noexcept override;

  // Sends `bye` and closes the connection, as the daemon shuts down.
  void drain() noexcept;

 private:
  void fail(const protocol::Error& error, protocol::ByeReason reason = protocol::ByeReason::kError);
  void leave() noexcept;
  void begin(bool all);
  protocol::Ready ready(const std::optional<std::string>& stream,
                        const std::vector<protocol::Track>& tracks,
                        const protocol::Heading& heading) const;
  // Returns the first messages of a new viewer: `ready`, then the backlog.
  std::vector<SharedPayload> beginning(std::vector<std::string> warnings = {}) const;
  // Returns the messages that a returning viewer missed, or nullopt if not all of them are kept.
  std::optional<std::vector<SharedPayload>> rest() const;

  StreamRegistry& streams_;
  ServerContext& server_;
  const StreamRegistry::DrainGuard drain_guard_;
  const std::string channel_;
  const SubscribeRequest request_;
  Connection* connection_ = nullptr;
  bool entered_ = false;
  bool follows_ = false;  // follows the channel on other replicas
  bool begun_ = false;
  // Lets a callback of the backplane check that the viewer still exists.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace surtitle
