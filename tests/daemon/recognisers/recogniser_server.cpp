#include "tests/daemon/recognisers/recogniser_server.h"

#include "daemon/net/beast.h"

namespace surtitle {

struct RecogniserServer::Sockets {
  asio::io_context io;
  tcp::acceptor acceptor{io, {asio::ip::make_address("127.0.0.1"), 0}};
  std::optional<websocket::stream<tcp::socket>> stream;
};

RecogniserServer::RecogniserServer() : sockets_(std::make_unique<Sockets>()) {}

RecogniserServer::~RecogniserServer() = default;

std::string RecogniserServer::url() const {
  return "ws://127.0.0.1:" + std::to_string(sockets_->acceptor.local_endpoint().port());
}

std::string RecogniserServer::accept() {
  auto& stream = sockets_->stream.emplace(sockets_->io);
  sockets_->acceptor.accept(stream.next_layer());
  beast::flat_buffer buffer;
  http::request<http::string_body> request;
  http::read(stream.next_layer(), buffer, request);
  stream.accept(request);
  stream.text(true);
  return std::string(request.target());
}

void RecogniserServer::send(std::string_view text) { sockets_->stream->write(asio::buffer(text)); }

std::optional<RecogniserServer::Message> RecogniserServer::receive() {
  beast::flat_buffer buffer;
  error_code closed;
  sockets_->stream->read(buffer, closed);
  return closed ? std::nullopt
                : std::optional(Message{beast::buffers_to_string(buffer.cdata()),
                                        sockets_->stream->got_binary()});
}

void RecogniserServer::close(int code) {
  error_code ignored;
  sockets_->stream->close(static_cast<websocket::close_code>(code), ignored);
}

void RecogniserServer::cut() { sockets_->stream->next_layer().close(); }

}  // namespace surtitle
