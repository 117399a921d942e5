#include "daemon/backplane/log_tailer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "daemon/base/log.h"

namespace surtitle {

using shared_story::key;

namespace {

constexpr std::size_t kAtOnce = 500;              // entries
constexpr std::chrono::milliseconds kLook{1000};  // that Redis may hold an answer back
constexpr std::chrono::milliseconds kTryAgain{200};
constexpr int kTold = 4;  // pages that are not taken yet

int make_wake() {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) {
    throw std::runtime_error("eventfd failed");
  }
  return descriptor;
}

}  // namespace

StoryReader::StoryReader(LinkState& state, std::function<void(StoryNews)> tell)
    : state_(state), tell_(std::move(tell)), wake_(make_wake()), thread_([this] { run(); }) {}

StoryReader::~StoryReader() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  eventfd_write(wake_, 1);
  thread_.join();
  close(wake_);
}

void StoryReader::follow(const std::string& channel) { put({Command::Kind::kFollow, channel, {}}); }

void StoryReader::leave(const std::string& channel) { put({Command::Kind::kLeave, channel, {}}); }

void StoryReader::read(const std::string& channel, const std::string& stream) {
  put({Command::Kind::kRead, channel, stream});
}

void StoryReader::taken() {
  {
    const std::lock_guard lock(mutex_);
    if (told_-- != kTold) {
      return;
    }
  }
  eventfd_write(wake_, 1);
}

void StoryReader::tell(StoryNews news) {
  {
    const std::lock_guard lock(mutex_);
    ++told_;
  }
  tell_(std::move(news));
}

bool StoryReader::crowded() {
  const std::lock_guard lock(mutex_);
  return told_ >= kTold;
}

// Calls `work(channel, followed)`.
template <typename Work>
void StoryReader::each_channel(const Work& work) {
  for (auto& [channel, followed] : followed_) {
    if (followed.unreadable) {
      continue;
    }
    try {
      work(channel, followed);
    } catch (const RedisRefusal& failure) {
      followed.unreadable = true;
      followed.all = true;
      log(LogLevel::kWarning, "what other replicas said on a channel cannot be read",
          {{"channel", channel}, {"cause", failure.what()}});
      tell(ChannelUnreadable{channel});
    }
  }
}

void StoryReader::put(Command command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
  }
  eventfd_write(wake_, 1);
}

void StoryReader::run() {
  bool well = true;
  bool told = false;
  while (take_commands()) {
    try {
      connect();
      begin_channels();
      read_stories();
      wait_for_news();
      well = true;
      told = false;
    } catch (const std::exception& failure) {
      // One that was there may be there again at once, as after this process stood still.
      const bool again = redis_ != nullptr && std::exchange(well, false);
      if (redis_ != nullptr && !again && !std::exchange(told, true)) {
        log(LogLevel::kWarning, "what other replicas said cannot be read",
            {{"cause", failure.what()}});
      }
      redis_.reset();
      waker_.reset();
      if (!again) {
        tell(ReaderAway{});
        pause();
      }
    }
  }
}

// False: the end.
bool StoryReader::take_commands() {
  eventfd_t ignored = 0;
  eventfd_read(wake_, &ignored);
  held_back_ = false;
  while (true) {
    Command command;
    {
      const std::lock_guard lock(mutex_);
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
        return true;  // what it reads now is read to the end first
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

void StoryReader::connect() {
  if (redis_) {
    return;
  }
  const BackplaneOptions& options = state_.options();
  if (!state_.up()) {
    throw RedisError("away");
  }
  waker_ = std::make_unique<RedisConnection>(options.url, options.patience);
  redis_ = std::make_unique<RedisConnection>(options.url, options.patience);
  if (woken_.empty()) {  // what the process before was woken for is nothing to this one
    const RedisReply last =
        redis_->ask({"XREVRANGE", key("wake", options.replica), "+", "-", "COUNT", "1"});
    woken_ = last.items.empty() ? "0-0" : shared_story::parse_wake_up(last.items.front()).id;
  }
}

void StoryReader::begin_channels() {
  each_channel([this](const std::string& channel, Followed& followed) {
    if (!followed.turn.empty()) {
      return;
    }
    const RedisReply last =
        redis_->ask({"XREVRANGE", key("order", channel), "+", "-", "COUNT", "8"});
    TurnsRead news{channel, /*first=*/true, {}};
    for (const RedisReply& item : last.items) {
      news.turns.push_back(shared_story::parse_turn(item));
    }
    std::reverse(news.turns.begin(), news.turns.end());
    followed.turn = news.turns.empty() ? "0-0" : news.turns.back().id;
    tell(std::move(news));
  });
}

// A page of each, so that nobody waits for long ones.
void StoryReader::read_stories() {
  each_channel([this](const std::string& channel, Followed& followed) {
    if (!followed.all && !crowded()) {
      read_on(channel, followed);
    }
  });
}

void StoryReader::read_on(const std::string& channel, Followed& followed) {
  const RedisReply entries =
      redis_->ask({"XRANGE", key("story", followed.stream), std::to_string(followed.next) + "-0",
                   "+", "COUNT", std::to_string(kAtOnce)});
  EntriesRead news{channel, followed.stream, {}, entries.items.size() < kAtOnce};
  for (const RedisReply& item : entries.items) {
    news.entries.push_back(shared_story::parse_entry(item));
    followed.next = news.entries.back().number + 1;
  }
  followed.all = news.all;
  tell(std::move(news));
}

void StoryReader::wait_for_news() {
  {
    const std::lock_guard lock(mutex_);
    if ((!commands_.empty() && !held_back_) || stopping_) {
      return;
    }
  }
  const bool crowded = this->crowded();
  const bool more = held_back_ || std::any_of(followed_.begin(), followed_.end(),
                                              [](const auto& entry) { return !entry.second.all; });
  const std::string wake = key("wake", state_.options().replica);
  RedisCommand command{"XREAD", "COUNT", std::to_string(kAtOnce)};
  if (crowded || !more) {
    command.insert(command.end(), {"BLOCK", std::to_string(kLook.count())});
  }
  command.insert(command.end(), {"STREAMS", wake});
  RedisCommand ids{woken_};
  for (const auto& [channel, followed] : followed_) {
    if (crowded || followed.unreadable || !followed.all) {
      continue;
    }
    command.push_back(key("order", channel));
    ids.push_back(followed.turn);
    if (!followed.stream.empty()) {
      command.push_back(key("story", followed.stream));
      ids.push_back(std::to_string(followed.next - 1) + "-0");
    }
  }
  command.insert(command.end(), ids.begin(), ids.end());
  redis_->wait_at_most(kLook + state_.options().patience);
  redis_->send(command);
  if (!redis_->answers_before(wake_)) {
    waker_->ask({"XADD", wake, "MAXLEN", shared_story::kWakeUps, "*", "w", "1"});
    waker_->ask({"PEXPIRE", wake, "60000"});
  }
  take_news(redis_->receive());
  redis_->wait_at_most(state_.options().patience);
}

// XREAD's: nil, or [[key, [entry, ...]], ...].
void StoryReader::take_news(const RedisReply& reply) {
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
  for (const RedisReply& item : of(key("wake", state_.options().replica))) {
    const shared_story::WakeUp wake_up = shared_story::parse_wake_up(item);
    woken_ = wake_up.id;
    if (wake_up.beat) {
      tell_(PulseAsked{});
    }
    if (!wake_up.taken.empty()) {
      tell_(StreamTaken{wake_up.taken, wake_up.fence, wake_up.swept});
    }
  }
  each_channel([&](const std::string& channel, Followed& followed) {
    EntriesRead entries{channel, followed.stream, {}, /*all=*/false};
    if (!followed.stream.empty()) {
      for (const RedisReply& item : of(key("story", followed.stream))) {
        entries.entries.push_back(shared_story::parse_entry(item));
        followed.next = entries.entries.back().number + 1;
      }
    }
    if (!entries.entries.empty()) {
      tell(std::move(entries));
    }
    TurnsRead turns{channel, /*first=*/false, {}};
    for (const RedisReply& item : of(key("order", channel))) {
      turns.turns.push_back(shared_story::parse_turn(item));
      followed.turn = turns.turns.back().id;
    }
    if (!turns.turns.empty()) {
      // The rest of this history is read before the next one begins.
      followed.all = followed.stream.empty();
      tell(std::move(turns));
    }
  });
}

void StoryReader::pause() {
  pollfd waiting{wake_, POLLIN, 0};
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return;
    }
  }
  poll(&waiting, 1, static_cast<int>(kTryAgain.count()));
}

}  // namespace surtitle
