// One connection to /v1/channels/NAME: shown what the channel's sender says, says nothing itself.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/channel_registry.h"
#include "daemon/connection.h"
#include "daemon/hub.h"

namespace surtitle {

class Viewer : public ConnectionHandler, public ChannelViewer {
 public:
  // REQUIRES: a channel name, see protocol::is_channel_name().
  Viewer(Hub& hub, std::string channel);
  ~Viewer() override;

  void opened(Connection& connection) override;
  void received(std::string_view text, TimePoint now) override;
  void broken(const protocol::Error& error) override;
  bool may_read() const override { return true; }
  std::optional<TimePoint> deadline() const override { return std::nullopt; }
  void deadline_passed(TimePoint now) override;
  void closed() override;

  void show(const SharedText& message) override;

  // Says goodbye because the daemon goes down.
  void drain();

 private:
  void fail(const protocol::Error& error, protocol::ByeReason reason = protocol::ByeReason::kError);
  void leave();

  Hub& hub_;
  const Hub::Guest guest_;
  const std::string channel_;
  Connection* connection_ = nullptr;
  bool entered_ = false;
};

}  // namespace surtitle
