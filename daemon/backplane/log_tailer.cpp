#include "daemon/backplane/log_tailer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "daemon/base/log.h"

namespace surtitle {

using redis_schema::key;

namespace {

constexpr std::size_t kPageEntries = 500;
constexpr std::chrono::milliseconds kBlock{1000};  // of XREAD
constexpr std::chrono::milliseconds kRetryDelay{200};
constexpr int kMaxUnprocessed = 4;  // pages

int make_wake() {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) {
    throw std::runtime_error("eventfd failed");
  }
  return descriptor;
}

}  // namespace

LogTailer::LogTailer(RedisHealth& health, std::function<void(TailerEvent)> on_event)
    : health_(health),
      on_event_(std::move(on_event)),
      wake_(make_wake()),
      thread_([this] { run(); }) {}

LogTailer::~LogTailer() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  eventfd_write(wake_, 1);
  thread_.join();
  close(wake_);
}

void LogTailer::follow(const std::string& channel) { put({Command::Kind::kFollow, channel, {}}); }

void LogTailer::leave(const std::string& channel) { put({Command::Kind::kLeave, channel, {}}); }

void LogTailer::read(const std::string& channel, const std::string& stream) {
  put({Command::Kind::kRead, channel, stream});
}

void LogTailer::processed() {
  {
    const MutexLock lock(mutex_);
    if (unprocessed_-- != kMaxUnprocessed) {
      return;
    }
  }
  eventfd_write(wake_, 1);
}

void LogTailer::emit(TailerEvent event) {
  {
    const MutexLock lock(mutex_);
    ++unprocessed_;
  }
  on_event_(std::move(event));
}

bool LogTailer::at_limit() {
  const MutexLock lock(mutex_);
  return unprocessed_ >= kMaxUnprocessed;
}

// Calls `work(channel, followed)` for each readable channel. If it throws RedisRefusal, the channel
// becomes unreadable.
template <typename Work>
void LogTailer::each_channel(const Work& work) {
  for (auto& [channel, followed] : followed_) {
    if (followed.unreadable) {
      continue;
    }
    try {
      work(channel, followed);
    } catch (const RedisRefusal& failure) {
      followed.unreadable = true;
      followed.all = true;
      log(LogLevel::kWarning, "Channel of other replicas unreadable; no longer followed",
          {{"channel", channel}, {"error", failure.what()}});
      emit(ChannelUnreadable{channel});
    }
  }
}

void LogTailer::put(Command command) {
  {
    const MutexLock lock(mutex_);
    commands_.push_back(std::move(command));
  }
  eventfd_write(wake_, 1);
}

void LogTailer::run() {
  bool well = true;
  bool logged = false;
  while (run_commands()) {
    try {
      connect();
      begin_channels();
      read_histories();
      wait_for_events();
      well = true;
      logged = false;
    } catch (const std::exception& failure) {
      // Redis may be available again at once, for example after this process was suspended.
      const bool again = redis_ != nullptr && std::exchange(well, false);
      if (redis_ != nullptr && !again && !std::exchange(logged, true)) {
        log(LogLevel::kWarning, "Reading from other replicas failed; retrying",
            {{"error", failure.what()}});
      }
      redis_.reset();
      waker_.reset();
      if (!again) {
        emit(TailerUnavailable{});
        pause();
      }
    }
  }
}

// Returns false if the tailer is being destroyed.
bool LogTailer::run_commands() {
  eventfd_t ignored = 0;
  eventfd_read(wake_, &ignored);
  held_back_ = false;
  while (true) {
    Command command;
    {
      const MutexLock lock(mutex_);
      if (stopping_) {
        return false;
      }
      if (commands_.empty()) {
        return true;
      }
      const Command& first = commands_.front();
      const auto found = followed_.find(first.channel);
      if (first.kind == Command::Kind::kRead && !first.stream.empty() && found != followed_.end() &&
          !found->second.all) {
        held_back_ = true;
        return true;  // the current history is read to its end first
      }
      command = std::move(commands_.front());
      commands_.pop_front();
    }
    if (command.kind == Command::Kind::kFollow) {
      followed_[command.channel] = {};
    } else if (command.kind == Command::Kind::kLeave) {
      followed_.erase(command.channel);
    } else if (const auto found = followed_.find(command.channel);
               found != followed_.end() && !found->second.unreadable) {
      Followed& followed = found->second;
      followed.stream = command.stream;
      followed.next = 1;
      followed.all = command.stream.empty();
    }
  }
}

void LogTailer::connect() {
  if (redis_) {
    return;
  }
  const BackplaneOptions& options = health_.options();
  if (!health_.available()) {
    throw RedisError("Redis is unavailable");
  }
  waker_ = std::make_unique<RedisConnection>(options.url, options.timeout);
  redis_ = std::make_unique<RedisConnection>(options.url, options.timeout);
  if (woken_.empty()) {  // skips the wake-ups of the previous process
    const RedisReply last =
        redis_->ask({"XREVRANGE", key("wake", options.replica), "+", "-", "COUNT", "1"});
    woken_ = last.items.empty() ? "0-0" : redis_schema::parse_wake_up(last.items.front()).id;
    on_event_(HeartbeatRequested{});  // one of them may be a request to this process
  }
}

void LogTailer::begin_channels() {
  each_channel([this](const std::string& channel, Followed& followed) {
    if (!followed.last_assignment.empty()) {
      return;
    }
    const RedisReply last =
        redis_->ask({"XREVRANGE", key("order", channel), "+", "-", "COUNT", "8"});
    AssignmentsRead event{channel, /*first=*/true, {}};
    for (const RedisReply& item : last.items) {
      event.assignments.push_back(redis_schema::parse_assignment(item));
    }
    std::reverse(event.assignments.begin(), event.assignments.end());
    followed.last_assignment = event.assignments.empty() ? "0-0" : event.assignments.back().id;
    emit(std::move(event));
  });
}

// Reads a page of each history, so that a long one does not delay the others.
void LogTailer::read_histories() {
  each_channel([this](const std::string& channel, Followed& followed) {
    if (!followed.all && !at_limit()) {
      read_next_page(channel, followed);
    }
  });
}

void LogTailer::read_next_page(const std::string& channel, Followed& followed) {
  const RedisReply entries =
      redis_->ask({"XRANGE", key("story", followed.stream), std::to_string(followed.next) + "-0",
                   "+", "COUNT", std::to_string(kPageEntries)});
  EntriesRead event{channel, followed.stream, {}, entries.items.size() < kPageEntries};
  for (const RedisReply& item : entries.items) {
    event.entries.push_back(redis_schema::parse_entry(item));
    followed.next = event.entries.back().number + 1;
  }
  followed.all = event.all;
  emit(std::move(event));
}

void LogTailer::wait_for_events() {
  {
    const MutexLock lock(mutex_);
    if ((!commands_.empty() && !held_back_) || stopping_) {
      return;
    }
  }
  const bool at_limit = this->at_limit();
  const bool more = held_back_ || std::any_of(followed_.begin(), followed_.end(),
                                              [](const auto& entry) { return !entry.second.all; });
  const std::string wake = key("wake", health_.options().replica);
  RedisCommand command{"XREAD", "COUNT", std::to_string(kPageEntries)};
  if (at_limit || !more) {
    command.insert(command.end(), {"BLOCK", std::to_string(kBlock.count())});
  }
  command.insert(command.end(), {"STREAMS", wake});
  RedisCommand ids{woken_};
  for (const auto& [channel, followed] : followed_) {
    if (at_limit || followed.unreadable || !followed.all) {
      continue;
    }
    command.push_back(key("order", channel));
    ids.push_back(followed.last_assignment);
    if (!followed.stream.empty()) {
      command.push_back(key("story", followed.stream));
      ids.push_back(std::to_string(followed.next - 1) + "-0");
    }
  }
  command.insert(command.end(), ids.begin(), ids.end());
  redis_->set_timeout(kBlock + health_.options().timeout);
  redis_->send(command);
  if (!redis_->answers_before(wake_)) {
    waker_->ask({"XADD", wake, "MAXLEN", redis_schema::kWakeUps, "*", "w", "1"});
    waker_->ask({"PEXPIRE", wake, "60000"});
  }
  on_entries(redis_->receive());
  redis_->set_timeout(health_.options().timeout);
}

// The reply of XREAD is nil, or [[key, [entry, ...]], ...].
void LogTailer::on_entries(const RedisReply& reply) {
  std::map<std::string, const RedisReply*> by_key;
  for (const RedisReply& part : reply.items) {
    if (part.items.size() == 2) {
      by_key[part.items[0].text] = &part.items[1];
    }
  }
  const auto of = [&](const std::string& name) -> const std::vector<RedisReply>& {
    static const std::vector<RedisReply> none;
    const auto found = by_key.find(name);
    return found == by_key.end() ? none : found->second->items;
  };
  for (const RedisReply& item : of(key("wake", health_.options().replica))) {
    const redis_schema::WakeUp wake_up = redis_schema::parse_wake_up(item);
    woken_ = wake_up.id;
    if (wake_up.heartbeat_requested) {
      on_event_(HeartbeatRequested{});
    }
    if (!wake_up.claimed_stream.empty()) {
      on_event_(StreamClaimed{wake_up.claimed_stream, wake_up.fence, wake_up.failed_over});
    }
  }
  each_channel([&](const std::string& channel, Followed& followed) {
    EntriesRead entries{channel, followed.stream, {}, /*all=*/false};
    if (!followed.stream.empty()) {
      for (const RedisReply& item : of(key("story", followed.stream))) {
        entries.entries.push_back(redis_schema::parse_entry(item));
        followed.next = entries.entries.back().number + 1;
      }
    }
    if (!entries.entries.empty()) {
      emit(std::move(entries));
    }
    AssignmentsRead read{channel, /*first=*/false, {}};
    for (const RedisReply& item : of(key("order", channel))) {
      read.assignments.push_back(redis_schema::parse_assignment(item));
      followed.last_assignment = read.assignments.back().id;
    }
    if (!read.assignments.empty()) {
      // The rest of this history is read before the next one begins.
      followed.all = followed.stream.empty();
      emit(std::move(read));
    }
  });
}

void LogTailer::pause() {
  pollfd waiting{wake_, POLLIN, 0};
  {
    const MutexLock lock(mutex_);
    if (stopping_) {
      return;
    }
  }
  poll(&waiting, 1, static_cast<int>(kRetryDelay.count()));
}

}  // namespace surtitle
