#include "daemon/streams/stream_recovery.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/backplane/backplane.h"
#include "daemon/base/log.h"
#include "daemon/base/thread_busy_time.h"
#include "daemon/base/try_or_log.h"
#include "daemon/journal/journal.h"
#include "daemon/journal/journal_codec.h"
#include "daemon/streams/stream.h"
#include "daemon/streams/stream_registry.h"
#include "daemon/streams/stream_replayer.h"
#include "daemon/translation/stream_plan.h"

namespace surtitle {

// The stream that is being restored.
struct StreamRecovery::Restoring {
  Restoring(StreamRegistry& streams, StreamHistory read, LoadReservation load)
      : history(std::move(read)),
        reservation(std::move(load)),
        replayer(streams.server(), streams, history) {}

  const StreamHistory history;
  const LoadReservation reservation;
  StreamReplayer replayer;
};

StreamRecovery::LoadReservation::~LoadReservation() {
  if (server_ != nullptr) {
    server_->admission().remove_stream(number_, server_->now());
  }
}

StreamRecovery::StreamRecovery(StreamRegistry& streams)
    : streams_(streams), server_(streams.server()) {}

StreamRecovery::~StreamRecovery() = default;

void StreamRecovery::begin(RecoverableStreams left, TimePoint until) {
  read_ = std::move(left.read);
  for (StreamSummary& summary : left.summaries) {
    waiting_.push_back({std::move(summary)});
  }
  std::vector<std::shared_ptr<Stream>> restored;
  while (!waiting_.empty() && !waiting_.front().summary.past && server_.now() < until) {
    Waiting next = pop_first();
    start(next);
    if (restoring_) {
      restoring_->replayer.replay(StreamReplayer::kAll);
      if (std::shared_ptr<Stream> stream = finish()) {
        restored.push_back(std::move(stream));
      }
    }
  }
  served_from_ = server_.now();
  for (const std::shared_ptr<Stream>& stream : restored) {
    stream->set_restored_at(served_from_);
    start_resume_timer(*stream);
  }
  for (Waiting& waiting : waiting_) {
    reserve_load(waiting);
  }
  drop_reader_if_done();
}

void StreamRecovery::reserve_load(Waiting& waiting) {
  if (waiting.summary.ended) {
    return;
  }
  const auto settings = parse_settings(waiting.summary.stream.settings);
  if (const auto* known = std::get_if<StreamSettings>(&settings)) {
    const auto plan = plan_stream(known->start, server_.models().infos(), {});
    if (const auto* planned = std::get_if<StreamPlan>(&plan)) {
      const std::uint64_t number = server_.next_stream_number();
      server_.admission().reserve(number, planned->models(), server_.now());
      waiting.reservation = LoadReservation(server_, number);
    }
  }
}

void StreamRecovery::restore_rows(std::size_t rows) noexcept {
  const Breadcrumb::Step step(server_.crumb(), "restoring streams from the journal", count(),
                              server_.now());
  std::optional<ThreadBusyTime> time;
  try_or_log("Measuring the time of recovery failed", [&] { time.emplace(); });
  replay_rows(rows);
  try_or_log("Measuring the time of recovery failed", [&] {
    if (time) {
      server_.admission().exclude_background(time->since_last(), server_.now());
    }
  });
  streams_.count_streams();
  streams_.wake();
}

void StreamRecovery::replay_rows(std::size_t rows) noexcept {
  Waiting next;
  if (!restoring_ && !waiting_.empty()) {
    next = pop_first();
  }
  std::string name;
  try {
    name = (restoring_ ? restoring_->history.stream : next.summary.stream).name;
    if (!restoring_ && !name.empty()) {
      start(next);
    }
    if (restoring_ && restoring_->replayer.replay(rows)) {
      if (const std::shared_ptr<Stream> stream = finish()) {
        start_resume_timer(*stream);
      }
    }
  } catch (const std::exception& failure) {
    try_or_log("Stream recovery failed; the next start tries again", [&] {
      log(LogLevel::kError, "Stream recovery failed; the next start tries again",
          {{"stream", name}, {"error", failure.what()}});
    });
    restoring_.reset();
  }
  drop_reader_if_done();
}

// Restores in the order of the starts, as the channel shows the last stream.
void StreamRecovery::restore_channel(const std::string& channel) {
  if (restoring_ && restoring_->history.stream.channel == channel) {
    restore_rows(StreamReplayer::kAll);
  }
  while (true) {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
      return one.summary.stream.channel == channel;
    });
    if (found == waiting_.end()) {
      return;
    }
    restore_now(found);
  }
}

void StreamRecovery::restore_named(const std::string& name) {
  if (restoring_ && restoring_->history.stream.name == name) {
    restore_rows(StreamReplayer::kAll);  // earlier streams of its channel are restored already
    return;
  }
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
    return one.summary.stream.name == name;
  });
  if (found == waiting_.end()) {
    return;
  }
  if (const std::optional<std::string> channel = found->summary.stream.channel) {
    restore_channel(*channel);
  } else {
    restore_now(found);
  }
}

// Completes a stream that is partly replayed, as clients must not receive only a part of its
// messages.
void StreamRecovery::hand_off_rest() noexcept {
  if (restoring_) {
    restore_rows(StreamReplayer::kAll);
  }
  if (count_open() > 0) {
    try_or_log("Logging failed", [&] {
      log(LogLevel::kInfo, "Streams in the journal left to the next process",
          {{"streams", std::int64_t{count_open()}}});
    });
  }
  clear();
}

void StreamRecovery::clear() noexcept {
  restoring_.reset();
  waiting_.clear();
  read_ = nullptr;
}

std::ptrdiff_t StreamRecovery::count() const noexcept {
  return std::ssize(waiting_) + (restoring_ ? 1 : 0);
}

int StreamRecovery::count_open() const noexcept {
  const auto open = std::count_if(waiting_.begin(), waiting_.end(),
                                  [](const Waiting& one) { return !one.summary.ended; });
  return static_cast<int>(open) + (restoring_ && !restoring_->history.ended ? 1 : 0);
}

StreamRecovery::Waiting StreamRecovery::pop_first() noexcept {
  Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  return first;
}

// Starts the replay if the journal still has the stream and no later stream has its channel. (A
// stream that could not be read at an earlier start may have a successor by now.)
void StreamRecovery::start(Waiting& waiting) {
  const StreamSummary& summary = waiting.summary;
  const auto follows = [&](const Waiting& later) {
    return later.summary.stream.channel == summary.stream.channel;
  };
  if (!summary.ended && summary.stream.channel &&
      std::any_of(waiting_.begin(), waiting_.end(), follows)) {
    log(LogLevel::kInfo, "Stream ended; another stream has its channel",
        {{"stream", summary.stream.name}});
    server_.journal()->append(0, {.stream = summary.stream.name, .ends = true});
    if (server_.backplane() != nullptr) {
      server_.backplane()->unregister_stream(summary.stream.name);
    }
    return;
  }
  StreamHistory history = read_(summary);
  const bool forgotten = summary.ended && std::ssize(history.rows) < summary.rows;
  if (!forgotten) {
    restoring_ =
        std::make_unique<Restoring>(streams_, std::move(history), std::move(waiting.reservation));
  }
}

// Passes the restored stream to the registry. Returns nullptr if the replay failed or the stream
// had ended before.
std::shared_ptr<Stream> StreamRecovery::finish() {
  const std::unique_ptr<Restoring> last = std::move(restoring_);
  const StreamHistory& history = last->history;
  const auto restored = last->replayer.release();
  if (const auto* error = std::get_if<std::string>(&restored)) {
    log(LogLevel::kError, "Stream recovery failed; the journal keeps its history",
        {{"stream", history.stream.name}, {"error", *error}});
    if (!history.ended) {
      server_.journal()->append(0, make_failed_entry(history));
    }
    if (server_.backplane() != nullptr) {
      server_.backplane()->unregister_stream(history.stream.name);
    }
    return nullptr;
  }
  auto stream = std::get<std::shared_ptr<Stream>>(restored);
  if (history.ended) {
    streams_.keep_ended(stream);
    return nullptr;
  }
  streams_.enter(stream, /*fence=*/Fence());
  return stream;
}

void StreamRecovery::start_resume_timer(Stream& stream) const {
  const Seconds waited = server_.now() - served_from_;
  stream.start_resume_timer(served_from_);
  log(LogLevel::kInfo, "Stream restored; waiting for its sender",
      {{"stream", stream.name()},
       {"seconds", std::max((server_.options().resume_timeout - waited).count(), 0.0)}});
}

// Destroys the journal's reader once all streams are restored.
void StreamRecovery::drop_reader_if_done() noexcept {
  if (count() == 0) {
    read_ = nullptr;
  }
}

// Completes the stream that is being restored, then restores this one.
void StreamRecovery::restore_now(const std::deque<Waiting>::iterator& waiting) {
  if (restoring_) {
    restore_rows(StreamReplayer::kAll);
  }
  std::rotate(waiting_.begin(), waiting, waiting + 1);
  restore_rows(StreamReplayer::kAll);
}

}  // namespace surtitle
