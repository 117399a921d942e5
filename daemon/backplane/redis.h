// One blocking connection to Redis: hiredis with destructors, values and exceptions.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/backplane/redis_url.h"
#include "daemon/base/clock.h"

struct redisContext;

namespace surtitle {

// Redis cannot be reached, does not answer in time, or sends an error. The text is one line. The
// connection must not be used afterwards, unless the exception is a RedisRefusal.
class RedisError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The data of the command's keys is wrong, for example of another type. The connection and other
// keys can still be used.
class RedisRefusal : public RedisError {
  using RedisError::RedisError;
};

struct RedisReply {
  bool nil = false;
  std::int64_t number = 0;
  std::string text;
  std::vector<RedisReply> items;
};

using RedisCommand = std::vector<std::string>;

class RedisConnection {
 public:
  // Connects, authenticates and selects the database. Throws RedisError.
  RedisConnection(const RedisUrl& url, std::chrono::milliseconds timeout);
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;
  ~RedisConnection();

  // Sets the maximum time of each reply from now on.
  void set_timeout(std::chrono::milliseconds timeout);
  // Pipelined commands: as long as this object exists, the timeout is for all replies together.
  class Pipeline {
   public:
    explicit Pipeline(RedisConnection& redis) : redis_(redis) {
      redis_.deadline_ = Clock::now() + redis_.timeout_;
    }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;
    ~Pipeline() { redis_.deadline_ = TimePoint::max(); }

   private:
    RedisConnection& redis_;
  };

  // All functions throw RedisError, or RedisRefusal if Redis rejects the command for its keys.

  // Sends one command and returns its reply.
  RedisReply ask(const RedisCommand& command);
  // Sends one of several commands. receive() returns their replies, in order.
  void send(const RedisCommand& command);
  RedisReply receive();
  // Waits for the beginning of a reply or until the descriptor `other` is readable. Returns true if
  // there is a reply.
  bool answers_before(int other);

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };
  [[noreturn]] void fail() const;
  bool flush();
  void wait_for(short event, TimePoint until) const;

  std::string endpoint_;
  std::unique_ptr<redisContext, Free> context_;
  std::chrono::milliseconds timeout_{0};
  TimePoint deadline_ = TimePoint::max();
};

}  // namespace surtitle
