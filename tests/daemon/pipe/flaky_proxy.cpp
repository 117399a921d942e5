#include "tests/daemon/pipe/flaky_proxy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <list>
#include <utility>

#include "daemon/net/beast.h"

namespace surtitle {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

tcp::endpoint loopback(int port) {
  return {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)};
}

// The connection of a client and its counterpart to the daemon.
class Pair : public std::enable_shared_from_this<Pair> {
 public:
  Pair(tcp::socket near, tcp::socket far, std::optional<FlakyProxy::Cut> cut,
       std::atomic<int>& cuts)
      : near_(std::move(near)),
        far_(std::move(far)),
        left_(cut ? cut->bytes : kNever),
        kind_(cut ? cut->kind : FlakyProxy::Kind::kReset),
        cuts_(cuts) {}

  void run() {
    copy(near_, far_, near_bytes_);
    copy(far_, near_, far_bytes_);
  }

 private:
  using Bytes = std::array<char, 4096>;

  void copy(tcp::socket& from, tcp::socket& to, Bytes& bytes) {
    from.async_read_some(asio::buffer(bytes), [this, self = shared_from_this(), &from, &to, &bytes](
                                                  const error_code& error, std::size_t count) {
      if (cut_) {
        return;
      }
      if (error) {
        error_code ignored;
        to.shutdown(tcp::socket::shutdown_send, ignored);
        return;
      }
      const std::size_t passes = std::min(count, left_);
      left_ -= left_ == kNever ? 0 : passes;
      pass(from, to, bytes, passes);
    });
  }

  void pass(tcp::socket& from, tcp::socket& to, Bytes& bytes, std::size_t count) {
    asio::async_write(to, asio::buffer(bytes, count),
                      [this, self = shared_from_this(), &from, &to, &bytes](const error_code& error,
                                                                            std::size_t /*count*/) {
                        if (!cut_ && left_ == 0) {
                          cut();
                        } else if (!cut_ && !error) {
                          copy(from, to, bytes);
                        }
                      });
  }

  void cut() {
    cut_ = true;
    ++cuts_;
    if (kind_ == FlakyProxy::Kind::kSilence) {
      return;
    }
    for (tcp::socket* socket : {&near_, &far_}) {
      error_code ignored;
      socket->set_option(asio::socket_base::linger(true, 0), ignored);
      socket->close(ignored);
    }
  }

  tcp::socket near_;
  tcp::socket far_;
  Bytes near_bytes_{};
  Bytes far_bytes_{};
  std::size_t left_;  // bytes before it is cut
  const FlakyProxy::Kind kind_;
  std::atomic<int>& cuts_;
  bool cut_ = false;
};

}  // namespace

struct FlakyProxy::Network {
  Network(int port, Plan plan_, std::atomic<int>& cuts_)
      : daemon_port(port), plan(std::move(plan_)), cuts(cuts_) {
    accept();
  }

  void accept() {
    acceptor.async_accept([this](const error_code& error, tcp::socket near) {
      if (error) {
        return;
      }
      tcp::socket far(io);
      error_code refused;
      far.connect(loopback(daemon_port), refused);
      if (!refused) {
        pairs.push_back(std::make_shared<Pair>(std::move(near), std::move(far), plan(), cuts));
        pairs.back()->run();
      }
      accept();
    });
  }

  const int daemon_port;
  const Plan plan;
  std::atomic<int>& cuts;
  asio::io_context io{1};
  tcp::acceptor acceptor{io, loopback(0)};
  std::list<std::shared_ptr<Pair>> pairs;  // silent ones stay open
};

FlakyProxy::FlakyProxy(int daemon_port, Plan plan)
    : network_(std::make_unique<Network>(daemon_port, std::move(plan), cuts_)),
      port_(network_->acceptor.local_endpoint().port()),
      thread_([this] { network_->io.run(); }) {}

FlakyProxy::~FlakyProxy() {
  network_->io.stop();
  thread_.join();
}

}  // namespace surtitle
