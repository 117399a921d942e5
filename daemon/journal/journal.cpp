#include "daemon/journal/journal.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <iterator>
#include <utility>

namespace surtitle {
namespace {

constexpr std::chrono::milliseconds kTryAgain{200};
constexpr std::chrono::minutes kForgetEvery{1};

}  // namespace

Journal::Journal(std::unique_ptr<JournalStore> store, DaemonMetrics& metrics,
                 JournalOptions options)
    : store_(std::move(store)),
      metrics_(metrics),
      options_(std::move(options)),
      thread_([this] { run(); }) {}

Journal::~Journal() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Journal::append(std::uint64_t stream, JournalEntry entry) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(entry));
    streams_.push_back(stream);
  }
  wake_.notify_one();
}

void Journal::run() {
  std::optional<Clock::duration> again;
  for (bool going = true; going;) {
    going = wait_for_work(again);
    again = store_->keep_up();
    if (!write_all()) {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, kTryAgain, [&] { return stopping_; });
      going = going && !stopping_;
    } else if (Clock::now() >= forget_next_) {
      forget();
    }
  }
}

// Takes what waits, behind what could not be written; false: this is the last round.
bool Journal::wait_for_work(std::optional<Clock::duration> most) {
  std::unique_lock lock(mutex_);
  const TimePoint now = Clock::now();
  wake_.wait_until(lock, most ? now + *most : std::max(forget_next_, now + kTryAgain),
                   [&] { return stopping_ || !waiting_.empty() || !entries_.empty(); });
  entries_.insert(entries_.end(), std::make_move_iterator(waiting_.begin()),
                  std::make_move_iterator(waiting_.end()));
  entries_streams_.insert(entries_streams_.end(), streams_.begin(), streams_.end());
  waiting_.clear();
  streams_.clear();
  return !stopping_;
}

bool Journal::write_all() {
  if (entries_.empty()) {
    return true;
  }
  const TimePoint begin = Clock::now();
  try {
    store_->write(entries_);
  } catch (const std::exception& failure) {
    tell_failure(failure.what());
    return false;
  }
  metrics_.journal_written(static_cast<int>(entries_.size()), Clock::now() - begin);
  if (failing_.exchange(false)) {
    spdlog::info("journal: it is written again");
    metrics_.journal_failing(false);
  }
  entries_.clear();
  options_.stored(std::exchange(entries_streams_, {}));
  return true;
}

void Journal::tell_failure(const std::string& why) {
  if (!failing_.exchange(true)) {
    spdlog::error("journal: {}; streams wait until it can be written", why);
    metrics_.journal_failing(true);
  }
}

void Journal::forget() {
  forget_next_ = Clock::now() + kForgetEvery;
  if (options_.keep <= Seconds::zero()) {
    return;
  }
  const auto limit = std::chrono::system_clock::now().time_since_epoch() - options_.keep;
  try {
    if (store_->forget(std::chrono::duration_cast<std::chrono::milliseconds>(limit).count()) > 0) {
      forget_next_ = Clock::now();  // there may be more
    }
  } catch (const std::exception& failure) {
    spdlog::warn("journal: old streams are not forgotten: {}", failure.what());
  }
}

}  // namespace surtitle
