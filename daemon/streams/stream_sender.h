// One connection to /v1/stream: begins a stream or goes on with one, and carries its sender's words
// to it.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "daemon/access/authenticated_client.h"
#include "daemon/channels/connection.h"
#include "daemon/streams/hub.h"
#include "daemon/streams/stream.h"

namespace surtitle {

class StreamSender : public ConnectionHandler {
 public:
  // `client`: the sender; nullptr: the daemon itself, without limits.
  explicit StreamSender(Hub& hub, Stream::Kind kind = Stream::Kind::kDurable,
                        std::shared_ptr<AuthenticatedClient> client = nullptr);
  ~StreamSender() override;

  // --- from the connection ---
  void on_open(Connection& connection) override;
  void on_message(std::string_view text, TimePoint now) override;
  void on_protocol_error(const protocol::Error& error) override;
  bool may_read() const override;
  bool is_self_limiting() const override { return true; }
  std::optional<TimePoint> deadline() const override;
  void on_deadline(TimePoint now) override;
  void on_close(bool on_purpose) noexcept override;

  // As Stream's. REQUIRES: a started stream.
  void when_idle(std::function<void()> on_idle);

  // Before its stream has begun.
  void drain() noexcept;

 private:
  void begin(const protocol::Start& start, TimePoint now);
  void resume(const protocol::Resume& resume);
  void resume_here(const protocol::Resume& resume);
  void charge_words(TimePoint now);
  void fail(const protocol::Error& error) noexcept;
  void close() noexcept;
  Stream* stream() const;

  Hub& hub_;
  const Hub::DrainGuard drain_guard_;
  const Stream::Kind kind_;
  const std::shared_ptr<AuthenticatedClient> client_;
  Connection* connection_ = nullptr;
  TimePoint start_by_;  // once opened
  std::shared_ptr<Stream> stream_;
  int words_ = 0;         // of the stream, charged to the client or sent before it attached
  bool entered_ = false;  // counted by the hub
  bool over_ = false;     // bye is sent or cannot be
  // Exists while other replicas are asked for the stream. The answer checks that it still does.
  std::shared_ptr<bool> pending_resume_;
  // The message that is read meanwhile, at most one: only a connection that is read notices its
  // end.
  std::optional<std::string> buffered_message_;
};

}  // namespace surtitle
