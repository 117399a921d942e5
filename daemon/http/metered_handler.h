// A connection handler that charges incoming bytes to the client and passes everything on to the
// handler that it holds.
//
// Thread-safety: none; the network thread's own.
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

  void opened(Connection& connection) override { handler_->opened(connection); }
  void received(std::string_view text, TimePoint now) override {
    if (const auto over = client_->charge_bytes(text.size(), now)) {
      handler_->broken(*over);
    } else {
      handler_->received(text, now);
    }
  }
  void broken(const protocol::Error& error) override { handler_->broken(error); }
  bool may_read() const override { return handler_->may_read(); }
  bool only_answers() const override { return handler_->only_answers(); }
  std::optional<TimePoint> deadline() const override { return handler_->deadline(); }
  void deadline_passed(TimePoint now) override { handler_->deadline_passed(now); }
  std::vector<SharedText> catch_up(int skipped) override { return handler_->catch_up(skipped); }
  void closed(bool on_purpose) noexcept override { handler_->closed(on_purpose); }

 private:
  const std::shared_ptr<AuthenticatedClient> client_;  // for the lifetime of the connection
  const std::unique_ptr<ConnectionHandler> handler_;
};

}  // namespace surtitle
