// One WebSocket: reads messages for its handler, writes queued messages, and keeps deadlines.
//
// Three coroutines share the object, which exists as long as one of them runs. The reader pauses
// while the handler may not read or the outgoing queue is half full. The writer sends the queued
// messages in order.
//
// The watcher sends pings and calls the handler at its deadline. It disconnects a peer that no
// longer answers or reads, and ends a close that takes too long.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "daemon/channels/connection.h"
#include "daemon/channels/outgoing_queue.h"
#include "daemon/net/async_event.h"
#include "daemon/net/beast.h"
#include "daemon/net/close_notice_stream.h"
#include "daemon/telemetry/daemon_metrics.h"

namespace surtitle {

class WebsocketSession : public Connection, public std::enable_shared_from_this<WebsocketSession> {
 public:
  using Request = http::request<http::string_body>;

  WebsocketSession(CloseNoticeStream&& stream, const protocol::Limits& limits,
                   std::unique_ptr<ConnectionHandler> handler, DaemonMetrics& metrics);
  ~WebsocketSession() override;

  // Answers the upgrade and serves the connection to its end. REQUIRES: owned by a shared_ptr.
  asio::awaitable<void> run(const Request& request);

  void send(OutgoingText message) override;
  void end(std::uint16_t close_code) override;
  void wake() override;
  PeerCloseProbe peer_close_probe() override;

 private:
  asio::awaitable<bool> accept(const Request& request);
  asio::awaitable<void> read_messages();
  asio::awaitable<bool> read_message();
  asio::awaitable<void> write_messages();
  OutgoingText pop_message();
  asio::awaitable<void> watch();
  void watch_once(TimePoint now);
  TimePoint next_watch() const;
  void ping();
  bool may_read() const;
  bool send_snapshot();
  void disconnect_slow_consumer();
  void report_protocol_error(const protocol::Error& error);
  void report_close();
  void abort();

  const protocol::Limits limits_;
  const std::unique_ptr<ConnectionHandler> handler_;
  DaemonMetrics& metrics_;
  websocket::stream<CloseNoticeStream> socket_;
  beast::flat_buffer incoming_;

  OutgoingQueue outgoing_;

  AsyncEvent may_write_;
  AsyncEvent may_read_;
  AsyncEvent watch_;
  TimePoint last_received_;  // when the last frame of the peer arrived
  TimePoint pinged_;
  std::optional<TimePoint> writing_since_;
  bool ping_in_flight_ = false;
  bool catching_up_ = false;  // a snapshot that replaced the queue is not all sent

  bool ended_ = false;            // accepts no more messages to send
  std::uint16_t close_code_ = 0;  // set by end()
  TimePoint close_by_;            // set by end()
  bool close_reported_ = false;
  bool closed_by_peer_ = false;  // on purpose
  bool protocol_error_ = false;  // reads no more
  bool aborted_ = false;         // the socket is closed
};

}  // namespace surtitle
