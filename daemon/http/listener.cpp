#include "daemon/http/listener.h"

#include <stdexcept>
#include <utility>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/url_parts.h"
#include "daemon/http/http_session.h"
#include "daemon/net/reachable_addresses.h"

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kPause{100};  // after a failed accept, as without descriptors
constexpr int kMaxBeingRefused = 64;  // connections beyond the limit that are sent an error
constexpr int kSendBytes = 1 << 18;   // in the kernel, per connection; more waits in OutgoingQueue

RequestError connection_limit_refusal(int connections) {
  constexpr int kServiceUnavailable = 503;
  constexpr int kRetrySeconds = 5;
  return {
      kServiceUnavailable,
      "The limit of " + std::to_string(connections) + " connections is reached; try again later.",
      kRetrySeconds};
}

}  // namespace

Listener::Listener(asio::io_context& io, ListenerOptions options, const HttpContext& context)
    : io_(io), options_(std::move(options)), context_(context) {
  for (const InheritedSocket& socket : options_.inherited) {
    adopt(socket);
  }
  if (acceptors_.empty()) {
    open_port();
  }
}

void Listener::open_port() {
  try {
    const tcp::endpoint endpoint(asio::ip::make_address(options_.address),
                                 static_cast<std::uint16_t>(options_.port));
    tcp::acceptor& acceptor = acceptors_.emplace_back(io_);
    acceptor.open(endpoint.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen(asio::socket_base::max_listen_connections);
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("cannot listen on " + options_.address + " port " +
                             std::to_string(options_.port) + ": " + error.code().message());
  }
}

void Listener::adopt(const InheritedSocket& socket) {
  try {
    const bool six = asio::ip::make_address(socket.address).is_v6();
    acceptors_.emplace_back(io_, six ? tcp::v6() : tcp::v4(), socket.descriptor);
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("cannot listen on " + socket.name + ": " + error.code().message());
  }
}

std::vector<std::string> Listener::urls() const { return urls(/*with_loopback=*/true); }

std::vector<std::string> Listener::urls_for_others() const { return urls(/*with_loopback=*/false); }

std::vector<std::string> Listener::urls(bool with_loopback) const {
  const bool tls = context_.tls.context() != nullptr;
  std::vector<std::string> named;
  std::vector<std::string> numbered;
  for (const tcp::acceptor& acceptor : acceptors_) {
    error_code gone;
    const tcp::endpoint endpoint = acceptor.local_endpoint(gone);
    if (gone) {
      continue;  // closed by stop_accepting_inherited()
    }
    const auto url = [&](const std::string& host) {
      return (tls ? "https://" : "http://") + authority(host, std::to_string(endpoint.port())) +
             "/";
    };
    asio::ip::v6_only only_v6;
    if (endpoint.address().is_v6()) {
      acceptor.get_option(only_v6, gone);
    }
    for (const asio::ip::address& address :
         reachable_addresses(endpoint.address(), only_v6.value(), machine_addresses())) {
      if (with_loopback || !address.is_loopback()) {
        numbered.push_back(url(address.to_string()));
      }
    }
    for (const std::string& name : context_.hosts.names()) {
      if (tls && !endpoint.address().is_loopback() && name.find('*') == std::string::npos) {
        named.push_back(url(name));
      }
    }
  }
  named.insert(named.end(), numbered.begin(), numbered.end());
  return named;
}

void Listener::start() {
  for (tcp::acceptor& acceptor : acceptors_) {
    asio::co_spawn(io_, accept(acceptor), asio::detached);
  }
}

void Listener::stop_accepting_inherited() {
  if (!options_.inherited.empty()) {
    for (tcp::acceptor& acceptor : acceptors_) {
      error_code ignored;
      acceptor.close(ignored);
    }
  }
}

asio::awaitable<void> Listener::accept(tcp::acceptor& acceptor) {
  asio::steady_timer pause(io_);
  while (acceptor.is_open()) {
    error_code error;
    tcp::socket socket =
        co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (!error) {
      serve(std::move(socket));
      continue;
    }
    if (!acceptor.is_open()) {
      break;
    }
    if (const auto line = no_accept_.record("Accept failed", Clock::now())) {
      log(LogLevel::kWarning, *line, {{"error", error.message()}});
    }
    pause.expires_after(kPause);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
}

void Listener::serve(tcp::socket socket) {
  const bool full = connections_ >= options_.connections;
  if (full) {
    if (const auto line = full_.record("Connection limit reached", Clock::now())) {
      log(LogLevel::kWarning, *line, {{"connections", options_.connections}});
    }
    if (being_refused_ >= kMaxBeingRefused) {
      return;
    }
  }
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::send_buffer_size(kSendBytes), ignored);
  std::optional<RequestError> refusal;
  if (full) {
    refusal = connection_limit_refusal(options_.connections);
  }
  int& served = full ? being_refused_ : connections_;
  ++served;
  asio::co_spawn(io_, serve_http(std::move(socket), context_, std::move(refusal)),
                 [&served](const std::exception_ptr& failure) {
                   --served;
                   try {
                     if (failure) {
                       std::rethrow_exception(failure);
                     }
                   } catch (const std::exception& error) {
                     log(LogLevel::kError, "Connection failed", {{"error", error.what()}});
                   }
                 });
}

}  // namespace surtitle
