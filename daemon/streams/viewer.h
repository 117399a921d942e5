// One connection to /v1/channels/NAME: shown what the channel's sender says, says nothing itself.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/channels/channel_registry.h"
#include "daemon/channels/connection.h"
#include "daemon/streams/hub.h"

namespace surtitle {

// What the query of the address asks for.
struct SubscribeRequest {
  ViewFilter channel;
  int backlog = 2;  // finished sentences at the beginning
  // Where it has been before; all that came since is told in the place of a beginning.
  std::optional<ChannelPosition> after = {};

  static constexpr int kMaxBacklog = 1000;
};

// "track=fr&backlog=20&attention=1&after=s-0123:57"; one sentence says what is wrong and what is
// allowed. Other fields are ignored.
std::variant<SubscribeRequest, std::string> parse_subscribe_request(std::string_view query);

class Viewer : public ConnectionHandler, public ChannelViewer {
 public:
  // REQUIRES: a channel name, see protocol::is_channel_name().
  Viewer(Hub& hub, std::string channel, SubscribeRequest request);
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

  // Says goodbye because the daemon goes down.
  void drain() noexcept;

 private:
  void fail(const protocol::Error& error, protocol::ByeReason reason = protocol::ByeReason::kError);
  void leave() noexcept;
  void begin(bool all);
  protocol::Ready ready(const std::optional<std::string>& stream,
                        const std::vector<protocol::Track>& tracks) const;
  // What a viewer begins with: ready, then the backlog.
  std::vector<SharedPayload> beginning(std::vector<std::string> warnings = {}) const;
  // What one that was here before goes on with; nothing where it cannot.
  std::optional<std::vector<SharedPayload>> rest() const;

  Hub& hub_;
  const Hub::DrainGuard drain_guard_;
  const std::string channel_;
  const SubscribeRequest request_;
  Connection* connection_ = nullptr;
  bool entered_ = false;
  bool follows_ = false;  // the channel on other replicas
  bool begun_ = false;
  // Whoever finds out what is said on other replicas looks whether it is still there.
  const std::shared_ptr<bool> here_ = std::make_shared<bool>(true);
};

}  // namespace surtitle
