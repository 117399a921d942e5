#include "daemon/streams/stream_registry.h"

#include <algorithm>
#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include "daemon/backplane/backplane.h"
#include "daemon/base/log.h"
#include "daemon/base/try_or_log.h"
#include "daemon/journal/journal.h"
#include "daemon/journal/journal_codec.h"
#include "daemon/streams/stream.h"
#include "daemon/streams/stream_replayer.h"
#include "daemon/streams/stream_sender.h"
#include "daemon/streams/viewer.h"

namespace surtitle {

using protocol::Error;
using protocol::ErrorCode;

namespace {

constexpr std::size_t kMaxEndedStreams = 4096;

// An exception ends this stream alone.
template <typename Work>
void end_stream_on_error(Stream& stream, const Work& work) noexcept {
  try {
    work();
  } catch (const std::exception& failure) {
    stream.abort(make_error_noexcept(ErrorCode::kInternal, "internal error: ", failure.what()));
  }
}

// The journal entries of a stream that another replica owned.
std::vector<JournalEntry> entries_of(const StreamHistory& history, Fence fence) {
  std::vector<JournalEntry> entries;
  for (const JournalRow& row : history.rows) {
    entries.push_back({.stream = history.stream.name, .row = row});
  }
  if (!entries.empty()) {
    entries.front().begins = history.stream;
    entries.front().ownership = {fence, std::ssize(history.rows)};
  }
  return entries;
}

}  // namespace

StreamRegistry::StreamRegistry(ServerContext& server) : server_(server) {
  server_.models().set_callbacks(
      {[this](const std::vector<TranslationEvent>& events) { deliver(events); },
       [this] { inbox_has_room(); }});
}

// Destroying a stream calls the registry, so its members must still exist.
StreamRegistry::~StreamRegistry() {
  on_deadline_changed_ = nullptr;
  drained_ = nullptr;
  recovery_.clear();
  while (!streams_.empty()) {
    const std::shared_ptr<Stream> stream = streams_.begin()->second;
    streams_.erase(streams_.begin());
  }
}

std::vector<StreamInfo> StreamRegistry::infos() const {
  std::vector<StreamInfo> infos;
  for (const auto& [number, stream] : streams_) {
    infos.push_back(stream->info(server_.now()));
  }
  return infos;
}

void StreamRegistry::clear_callbacks() noexcept {
  drained_ = nullptr;
  on_deadline_changed_ = nullptr;
}

void StreamRegistry::stop() {
  clear_callbacks();
  recovery_.clear();
  server_.stop();
}

// --- the journal ---

void StreamRegistry::on_committed(const std::vector<std::uint64_t>& streams) {
  const Breadcrumb::Step step(server_.crumb(), "publishing committed output of streams",
                              std::ssize(streams), server_.now());
  for (const std::uint64_t number : streams) {
    const auto found = streams_.find(number);
    if (found != streams_.end()) {
      const std::shared_ptr<Stream> stream = found->second;  // keeps it alive if it leaves
      end_stream_on_error(*stream, [&] { stream->on_committed(); });
    }
  }
}

void StreamRegistry::not_journaled(std::uint64_t number) {
  const auto found = streams_.find(number);
  if (found != streams_.end()) {
    const std::shared_ptr<Stream> stream = found->second;
    end_stream_on_error(*stream, [&] {
      stream->release_ownership(
          Error{ErrorCode::kInternal,
                "the journal has lost the first entry of this stream; start a new stream"});
    });
  }
}

void StreamRegistry::restore(RecoverableStreams left) {
  recovery_.begin(std::move(left),
                  server_.backplane() != nullptr
                      ? TimePoint::max()
                      : server_.now() + to_duration(server_.options().restore_at_once));
  if (recovery_.count() > 0) {
    log(LogLevel::kInfo, "Recovery continues in the background", {{"streams", recovery_.count()}});
    restore_rest();
  }
  count_streams();
}

void StreamRegistry::restore_rest() {
  server_.post([this] {
    recovery_.restore_rows(server_.options().restore_rows);
    if (recovery_.count() > 0) {
      try_or_log("Background recovery stopped; streams are restored when a client needs them",
                 [&] { restore_rest(); });
    } else if (!draining_) {
      try_or_log("Logging failed", [] { log(LogLevel::kInfo, "Recovery finished"); });
    }
  });
}

void StreamRegistry::restore_channel(const std::string& channel) {
  recovery_.restore_channel(channel);
}

// --- other replicas ---

void StreamRegistry::release_ownership(const std::string& name, const std::optional<Error>& error) {
  const auto is_named = [&](const auto& stream) { return stream->name() == name; };
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const auto& entry) { return is_named(entry.second); });
  if (found != streams_.end()) {
    const std::shared_ptr<Stream> stream = found->second;
    end_stream_on_error(*stream, [&] { stream->release_ownership(error); });
  }
  // The end that is kept here is outdated, too: the stream continues on the other replica.
  const auto known =
      std::erase_if(ended_streams_, [&](const EndedStream& one) { return is_named(one.stream); });
  if (known > 0) {
    server_.journal()->append(0, {.stream = name, .moved = true});
  }
}

void StreamRegistry::on_ownership_lost(const std::string& name, bool failed_over) {
  const std::shared_ptr<Stream> stream = this->stream(name);
  if (!stream) {
    return;
  }
  const std::optional<std::string> channel = stream->channel();
  server_.metrics().stream_released();
  log(LogLevel::kInfo, "Stream moved to another replica", {{"stream", name}});
  release_ownership(
      name, failed_over ? std::nullopt
                        : std::optional(Error{ErrorCode::kTakenOver,
                                              "the stream continues on another connection of its "
                                              "sender"}));
  if (channel) {
    server_.backplane()->on_stream_moved(*channel, name);
  }
}

void StreamRegistry::on_channel_refused(const std::string& name) {
  const std::shared_ptr<Stream> stream = this->stream(name);
  if (stream) {
    const std::string channel = stream->channel().value_or("");
    release_ownership(name, Error{ErrorCode::kChannelBusy,
                                  "channel '" + channel +
                                      "' already has a sender; use another name or wait until that "
                                      "sender leaves"});
  }
}

void StreamRegistry::adopt(const StreamHistory& history, Fence fence) {
  const std::string& name = history.stream.name;
  // A channel with another sender keeps the stream from continuing on any replica.
  const bool displaced =
      history.stream.channel && server_.channels().is_taken(*history.stream.channel);
  server_.backplane()->register_stream(name, fence);
  auto restored = restore_stream(server_, *this, history);
  if (const auto* error = std::get_if<std::string>(&restored)) {
    log(LogLevel::kError,
        displaced ? "Stream adoption failed; its channel has another sender"
                  : "Stream adoption failed; another replica may adopt the stream",
        {{"stream", name}, {"error", *error}});
    if (displaced) {
      std::vector<JournalEntry> entries = entries_of(history, fence);
      entries.push_back(make_failed_entry(history));
      server_.journal()->append(0, std::move(entries));
    } else {
      server_.backplane()->unclaim(name, fence);
    }
    server_.backplane()->unregister_stream(name);
    if (!displaced && history.stream.channel) {
      server_.backplane()->on_stream_moved(*history.stream.channel, name);
    }
    return;
  }
  server_.journal()->append(0, entries_of(history, fence));
  const auto& stream = std::get<std::shared_ptr<Stream>>(restored);
  enter(stream, fence);
  on_published(*stream);
  stream->start_resume_timer(server_.now());
  server_.metrics().stream_adopted();
  wake();
}

void StreamRegistry::remember_ended_elsewhere(StreamHistory history) {
  history.stream.channel.reset();  // it may have another sender by now
  auto restored = restore_stream(server_, *this, history);
  if (const auto* stream = std::get_if<std::shared_ptr<Stream>>(&restored)) {
    keep_ended(*stream);
  }
}

void StreamRegistry::on_published(const Stream& stream) {
  if (server_.backplane() != nullptr && stream.channel()) {
    server_.backplane()->on_channel_claimed(*stream.channel());
  }
}

void StreamRegistry::on_detached(const Stream& stream) {
  if (server_.backplane() != nullptr && stream.channel()) {
    server_.backplane()->publish_detached(*stream.channel(), stream.name(),
                                          {!stream.attached(), stream.interrupted_until()});
  }
}

std::optional<TimePoint> StreamRegistry::deadline() const {
  std::optional<TimePoint> first;
  for (const auto& [number, stream] : streams_) {
    const std::optional<TimePoint> one = stream->attached() ? std::nullopt : stream->deadline();
    first = one && (!first || *one < *first) ? one : first;
  }
  if (!ended_streams_.empty()) {
    first = std::min(first.value_or(ended_streams_.front().until), ended_streams_.front().until);
  }
  return first;
}

void StreamRegistry::on_deadline(TimePoint now) {
  const Breadcrumb::Step step(server_.crumb(), "checking deadlines of streams",
                              std::ssize(streams_), now);
  while (!ended_streams_.empty() && ended_streams_.front().until <= now) {
    ended_streams_.pop_front();
  }
  for_each_stream([&](Stream& stream) {
    const std::optional<TimePoint> deadline = stream.attached() ? std::nullopt : stream.deadline();
    if (deadline && now >= *deadline) {
      stream.on_deadline(now);
    }
  });
}

void StreamRegistry::wake() const {
  if (on_deadline_changed_) {
    on_deadline_changed_();
  }
}

// --- senders, streams and viewers ---

bool StreamRegistry::enter(StreamSender& sender) {
  constexpr std::size_t kSpareSenders = 16;  // to resume; some never send a message
  if (senders_.size() >= static_cast<std::size_t>(server_.options().streams) + kSpareSenders) {
    return false;
  }
  senders_.insert(&sender);
  count_streams();
  return true;
}

bool StreamRegistry::full() const {
  return std::ssize(streams_) + recovery_.count_open() >= server_.options().streams;
}

Error StreamRegistry::too_many_streams() const {
  return {ErrorCode::kTooManyStreams, "the limit of " + std::to_string(server_.options().streams) +
                                          " streams is reached; try again later"};
}

void StreamRegistry::enter(const std::shared_ptr<Stream>& stream, Fence fence) {
  streams_[stream->number()] = stream;
  server_.admission().add_stream(stream->number(), stream->models(), server_.now());
  if (server_.backplane() != nullptr && stream->durable()) {
    server_.backplane()->register_stream(stream->name(), fence);
  }
  count_streams();
}

void StreamRegistry::on_closed(Stream& stream) {
  const auto found = streams_.find(stream.number());
  if (found != streams_.end()) {
    const std::shared_ptr<Stream> left = std::move(found->second);
    streams_.erase(found);
    server_.admission().remove_stream(left->number(), server_.now());
    if (left->durable()) {
      try_or_log("Keeping an ended stream for its sender failed", [&] { keep_ended(left); });
    }
    if (server_.backplane() != nullptr) {
      try_or_log("Removing a stream from the backplane failed",
                 [&] { server_.backplane()->unregister_stream(left->name()); });
    }
  }
  count_streams();
  continue_drain();
}

void StreamRegistry::keep_ended(const std::shared_ptr<Stream>& stream) {
  if (ended_streams_.size() >= kMaxEndedStreams) {
    ended_streams_.pop_front();
  }
  ended_streams_.push_back({server_.now() + to_duration(server_.options().resume_timeout), stream});
  if (ended_streams_.size() == 1) {
    wake();
  }
}

std::shared_ptr<Stream> StreamRegistry::stream(const std::string& name) {
  recovery_.restore_named(name);
  const auto ended =
      std::find_if(ended_streams_.begin(), ended_streams_.end(),
                   [&](const EndedStream& one) { return one.stream->name() == name; });
  if (ended != ended_streams_.end()) {
    return ended->stream;
  }
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const auto& entry) { return entry.second->name() == name; });
  return found == streams_.end() ? nullptr : found->second;
}

std::shared_ptr<Stream> StreamRegistry::find_detached_on(const std::string& channel) {
  restore_channel(channel);
  const auto found = std::find_if(streams_.begin(), streams_.end(), [&](const auto& entry) {
    return entry.second->channel() == channel && !entry.second->attached();
  });
  return found == streams_.end() ? nullptr : found->second;
}

void StreamRegistry::displace(const std::shared_ptr<Stream>& stream) noexcept {
  end_stream_on_error(*stream, [&] { stream->displace(); });
}

// `work` may make this stream and others leave. Allocates no memory.
template <class Work>
void StreamRegistry::for_each_stream(const Work& work) {
  for (auto next = streams_.begin(); next != streams_.end();) {
    const std::uint64_t number = next->first;
    const std::shared_ptr<Stream> stream = next->second;
    end_stream_on_error(*stream, [&] { work(*stream); });
    next = streams_.upper_bound(number);
  }
}

void StreamRegistry::count_streams() {
  server_.metrics().streams(static_cast<int>(senders_.size() + streams_.size()) +
                            recovery_.count_open());
}

bool StreamRegistry::enter(Viewer& viewer) {
  if (viewers_.size() >= static_cast<std::size_t>(server_.options().viewers)) {
    return false;
  }
  viewers_[&viewer] = false;
  server_.metrics().viewers(static_cast<int>(viewers_.size()));
  return true;
}

void StreamRegistry::leave(StreamSender& sender) {
  senders_.erase(&sender);
  count_streams();
  continue_drain();
}

void StreamRegistry::leave(Viewer& viewer) {
  viewers_.erase(&viewer);
  server_.metrics().viewers(static_cast<int>(viewers_.size()));
  continue_drain();
}

void StreamRegistry::drain(DrainMode mode, std::function<void()> drained) {
  recovery_.hand_off_rest();
  count_streams();
  draining_ = true;
  if (server_.backplane() != nullptr) {
    server_.backplane()->stop_adopting();
  }
  drained_ = std::move(drained);
  for (auto next = senders_.begin(); next != senders_.end();) {
    StreamSender* const sender = *next;
    sender->drain();
    next = senders_.upper_bound(sender);  // as it may have left
  }
  for_each_stream([&](Stream& stream) {
    if (stream.durable() && (mode == DrainMode::kHandOff || !stream.attached())) {
      stream.hand_off();
    } else {
      stream.finish(server_.now());
    }
  });
  continue_drain();
}

// Viewers leave after all senders and streams, so that they receive the last sentences.
void StreamRegistry::continue_drain() {
  if (!draining_ || !senders_.empty() || !streams_.empty()) {
    return;
  }
  for (auto& [viewer, drained] : viewers_) {
    if (!std::exchange(drained, true)) {
      viewer->drain();
    }
  }
  if (drain_guards_ == 0 && drained_) {  // all last messages are sent
    std::exchange(drained_, nullptr)();
  }
}

void StreamRegistry::deliver(const std::vector<TranslationEvent>& events) {
  const TimePoint now = server_.now();
  const Breadcrumb::Step step(server_.crumb(), "delivering translations to streams",
                              std::ssize(events), now);
  for (auto begin = events.begin(); begin != events.end();) {
    const std::uint64_t stream = begin->key.stream;
    auto end = begin;
    while (end != events.end() && end->key.stream == stream) {
      ++end;
    }
    const auto found = streams_.find(stream);
    if (found != streams_.end()) {
      const std::shared_ptr<Stream> target = found->second;  // keeps it alive if it leaves
      end_stream_on_error(*target, [&] { target->translated(std::span(begin, end), now); });
    }
    begin = end;
  }
}

void StreamRegistry::inbox_has_room() {
  for_each_stream([](Stream& stream) { stream.inbox_has_room(); });
}

}  // namespace surtitle
