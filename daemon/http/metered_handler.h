// A connection handler that charges incoming bytes to the client.
//
// It passes all calls on to another handler, which it owns.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <memory>
#include <utility>

#include "daemon/access/authenticated_client.h"
#include "daemon/channels/connection.h"

namespace surtitle {

class MeteredHandler : public ConnectionHandler {
 public:
  MeteredHandler(std::unique_ptr<ConnectionHandler> handler,
                 std::shared_ptr<AuthenticatedClient> client)
      : client_(std::move(client)), handler_(std::move(handler)) {}

  void on_open(Connection& connection) override { handler_->on_open(connection); }
  void on_message(std::string_view text, TimePoint now) override {
    if (const auto over = client_->charge_bytes(text.size(), now)) {
      handler_->on_protocol_error(*over);
    } else {
      handler_->on_message(text, now);
    }
  }
  void on_protocol_error(const protocol::Error& error) override {
    handler_->on_protocol_error(error);
  }
  bool may_read() const override { return handler_->may_read(); }
  bool is_self_limiting() const override { return handler_->is_self_limiting(); }
  std::optional<TimePoint> deadline() const override { return handler_->deadline(); }
  void on_deadline(TimePoint now) override { handler_->on_deadline(now); }
  std::vector<SharedPayload> snapshot(int skipped) override { return handler_->snapshot(skipped); }
  void on_close(bool on_purpose) noexcept override { handler_->on_close(on_purpose); }

 private:
  const std::shared_ptr<AuthenticatedClient> client_;  // for the lifetime of the connection
  const std::unique_ptr<ConnectionHandler> handler_;
};

}  // namespace surtitle
