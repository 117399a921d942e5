// One connection to Redis, blocking, for a thread of its own: hiredis with destructors, values and
// exceptions.
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

// Redis is not there, does not answer in time, or refuses: one line that says which. The connection
// is of no use afterwards.
class RedisError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What is under these keys is not what it should be; with others it goes on, as does the
// connection.
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
  // Connects, logs in and chooses the data base. Throws RedisError.
  RedisConnection(const RedisUrl& url, std::chrono::milliseconds timeout);
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;
  ~RedisConnection();

  // How long an answer may take from now on.
  void set_timeout(std::chrono::milliseconds timeout);
  // Pipelined commands: while it lives, all answers together take no longer than one may.
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

  RedisReply ask(const RedisCommand& command);
  // For several commands at once: send() them all, then receive() as many answers, in order.
  void send(const RedisCommand& command);
  RedisReply receive();
  // Waits until an answer to what was sent begins to come, or the other descriptor can be read,
  // whichever is first; true: the answer. Throws RedisError where neither comes in time.
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
