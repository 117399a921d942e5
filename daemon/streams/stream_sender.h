// The handler of one connection to /v1/stream.
//
// The first message begins a stream or resumes one. Later messages are passed to that stream. The
// client is charged for its words.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "daemon/access/authenticated_client.h"
#include "daemon/channels/connection.h"
#include "daemon/streams/stream.h"
#include "daemon/streams/stream_registry.h"

namespace surtitle {

class StreamSender : public ConnectionHandler {
 public:
  // `client`: the sender, or nullptr for a sender without limits.
  explicit StreamSender(StreamRegistry& streams, Stream::Kind kind = Stream::Kind::kDurable,
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

  // As Stream::when_idle(). REQUIRES: the stream has started.
  void when_idle(std::function<void()> on_idle);

  // Rejects the sender because of a drain. REQUIRES: its stream has not begun.
  void drain() noexcept;

 private:
  void begin(protocol::Start start, TimePoint now);
  void resume(const protocol::Resume& resume);
  void resume_here(const protocol::Resume& resume);
  void charge_words(TimePoint now);
  void fail(const protocol::Error& error) noexcept;
  void close() noexcept;
  Stream* stream() const;

  StreamRegistry& streams_;
  ServerContext& server_;
  const StreamRegistry::DrainGuard drain_guard_;
  const Stream::Kind kind_;
  const std::shared_ptr<AuthenticatedClient> client_;
  Connection* connection_ = nullptr;
  TimePoint start_by_;  // deadline of the first message; set by on_open()
  std::shared_ptr<Stream> stream_;
  int words_ = 0;         // of the stream, charged to the client or sent before it attached
  int charged_ = 0;       // the same, as words of speech
  bool entered_ = false;  // counted by the registry
  bool over_ = false;     // accepts no more messages
  // Exists while the backplane claims the stream. The result is ignored once this pointer is reset.
  std::shared_ptr<bool> pending_resume_;
  // A message that arrived while pending_resume_ exists. One message is read ahead, because only a
  // read detects the end of a connection.
  std::optional<std::string> buffered_message_;
};

}  // namespace surtitle
