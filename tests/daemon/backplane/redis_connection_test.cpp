// A connection to a Redis that answers slowly.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "daemon/backplane/redis.h"

namespace surtitle {
namespace {

constexpr std::string_view kPing = "*1\r\n$4\r\nPING\r\n";

// Answers each PING after a pause, one after the other.
class SlowRedis {
 public:
  explicit SlowRedis(std::chrono::milliseconds pause)
      : listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    EXPECT_EQ(listen(listening_, 1), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, pause] { serve(pause); });
  }
  SlowRedis(const SlowRedis&) = delete;
  SlowRedis& operator=(const SlowRedis&) = delete;
  ~SlowRedis() {
    thread_.join();
    close(listening_);
  }
  RedisUrl url() const { return parse_redis_url("redis://127.0.0.1:" + std::to_string(port_)); }

 private:
  // Serves one client until it closes the connection.
  void serve(std::chrono::milliseconds pause) const {
    const int client = accept(listening_, nullptr, nullptr);
    std::array<char, 1024> bytes{};
    std::size_t waiting = 0;
    while (true) {
      const ssize_t got = recv(client, bytes.data(), bytes.size(), 0);
      if (got <= 0) {
        break;
      }
      for (waiting += static_cast<std::size_t>(got); waiting >= kPing.size();
           waiting -= kPing.size()) {
        std::this_thread::sleep_for(pause);
        constexpr std::string_view kPong = "+PONG\r\n";
        if (send(client, kPong.data(), kPong.size(), MSG_NOSIGNAL) < 0) {
          waiting = 0;
          break;
        }
      }
    }
    close(client);
  }

  const int listening_;
  int port_ = 0;
  std::thread thread_;
};

TEST(RedisConnection, AnswersOfAPipelineShareOneTimeout) {
  const SlowRedis slow(std::chrono::milliseconds(100));
  RedisConnection redis(slow.url(), std::chrono::seconds(1));
  const auto ask_thirty = [&] {
    const RedisConnection::Pipeline pipeline(redis);
    for (int i = 0; i < 30; ++i) {
      redis.send({"PING"});
    }
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(redis.receive().text, "PONG");
    }
  };
  EXPECT_THROW(ask_thirty(), RedisError);
}

}  // namespace
}  // namespace surtitle
