#include "daemon/backplane/redis.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace surtitle {
namespace {

timeval to_timeval(std::chrono::milliseconds time) {
  timeval value{};
  value.tv_sec = static_cast<time_t>(time.count() / 1000);
  value.tv_usec = static_cast<suseconds_t>(time.count() % 1000 * 1000);
  return value;
}

RedisReply value_of(const redisReply& reply) {
  RedisReply value;
  value.nil = reply.type == REDIS_REPLY_NIL;
  value.number = reply.type == REDIS_REPLY_INTEGER ? reply.integer : 0;
  if (reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_STATUS ||
      reply.type == REDIS_REPLY_ERROR) {
    value.text.assign(reply.str, reply.len);
  }
  if (reply.type == REDIS_REPLY_ARRAY) {
    value.items.reserve(reply.elements);
    for (std::size_t i = 0; i < reply.elements; ++i) {
      value.items.push_back(value_of(*reply.element[i]));
    }
  }
  return value;
}

struct FreeReply {
  void operator()(void* reply) const { freeReplyObject(reply); }
};

}  // namespace

void RedisConnection::Free::operator()(redisContext* context) const { redisFree(context); }

RedisConnection::RedisConnection(const RedisUrl& url, std::chrono::milliseconds timeout)
    : endpoint_(url.endpoint()),
      context_(redisConnectWithTimeout(url.host.c_str(), url.port, to_timeval(timeout))) {
  if (!context_ || context_->err != 0) {
    fail();
  }
  set_timeout(timeout);
  if (!url.user.empty() || !url.password.empty()) {
    ask(url.user.empty() ? RedisCommand{"AUTH", url.password}
                         : RedisCommand{"AUTH", url.user, url.password});
  }
  if (url.database != 0) {
    ask({"SELECT", std::to_string(url.database)});
  }
}

RedisConnection::~RedisConnection() = default;

void RedisConnection::set_timeout(std::chrono::milliseconds timeout) {
  timeout_ = timeout;
  if (redisSetTimeout(context_.get(), to_timeval(timeout)) != REDIS_OK) {
    fail();
  }
}

RedisReply RedisConnection::ask(const RedisCommand& command) {
  send(command);
  return receive();
}

void RedisConnection::send(const RedisCommand& command) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  texts.reserve(command.size());
  lengths.reserve(command.size());
  for (const std::string& word : command) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  if (redisAppendCommandArgv(context_.get(), static_cast<int>(command.size()), texts.data(),
                             lengths.data()) != REDIS_OK) {
    fail();
  }
}

RedisReply RedisConnection::receive() {
  const TimePoint until = std::min(deadline_, Clock::now() + timeout_);
  while (!flush()) {
    wait_for(POLLOUT, until);
  }
  void* raw = nullptr;
  while (redisGetReplyFromReader(context_.get(), &raw) == REDIS_OK && raw == nullptr) {
    wait_for(POLLIN, until);
    if (redisBufferRead(context_.get()) != REDIS_OK) {
      fail();
    }
  }
  if (raw == nullptr) {
    fail();
  }
  const std::unique_ptr<void, FreeReply> owned(raw);
  const auto& reply = *static_cast<const redisReply*>(raw);
  if (reply.type == REDIS_REPLY_ERROR) {
    const std::string error(reply.str, reply.len);
    const std::string why = "Redis at " + endpoint_ + ": " + error;
    if (error.starts_with("ERR ") || error.starts_with("WRONGTYPE ")) {
      throw RedisRefusal(why);
    }
    throw RedisError(why);
  }
  return value_of(reply);
}

// Sends as much of the output buffer as possible without waiting. Returns true if it is empty.
bool RedisConnection::flush() {
  int done = 0;
  if (redisBufferWrite(context_.get(), &done) != REDIS_OK) {
    fail();
  }
  return done != 0;
}

void RedisConnection::wait_for(short event, TimePoint until) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  pollfd waiting{context_->fd, event, 0};
  if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) == 0) {
    throw RedisError("Redis at " + endpoint_ + ": no answer in time");
  }
}

bool RedisConnection::answers_before(int other) {
  while (!flush()) {
  }
  std::array<pollfd, 2> waiting{{{context_->fd, POLLIN, 0}, {other, POLLIN, 0}}};
  if (poll(waiting.data(), waiting.size(), static_cast<int>(timeout_.count())) == 0) {
    throw RedisError("Redis at " + endpoint_ + ": no answer in time");
  }
  return waiting[0].revents != 0 || waiting[1].revents == 0;
}

void RedisConnection::fail() const {
  std::string why = context_ ? context_->errstr : "out of memory";
  if (context_ && context_->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    why = "no answer in time";
  }
  throw RedisError("Redis at " + endpoint_ + ": " + why);
}

}  // namespace surtitle
