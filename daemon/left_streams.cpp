#include "daemon/left_streams.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "daemon/attempt.h"
#include "daemon/backplane/backplane.h"
#include "daemon/hub.h"
#include "daemon/journal/journal.h"
#include "daemon/journal/story.h"
#include "daemon/log.h"
#include "daemon/stream.h"
#include "daemon/stream_restoration.h"

namespace surtitle {

// The stream that is on its way.
struct LeftStreams::Restoring {
  Restoring(Hub& hub, JournaledStory left) : story(std::move(left)), restoration(hub, story) {}

  const JournaledStory story;
  StreamRestoration restoration;
};

LeftStreams::LeftStreams(Hub& hub) : hub_(hub) {}

LeftStreams::~LeftStreams() = default;

void LeftStreams::begin(LeftStories left, TimePoint until) {
  left_ = std::move(left);
  while (!left_.heads.empty() && hub_.now() < until) {
    start(take_first());
    if (restoring_) {
      finish();
    }
  }
  served_from_ = hub_.now();
  close_where_done();
}

void LeftStreams::go_on(std::size_t rows) noexcept {
  const Breadcrumb::Step step(hub_.crumb(), "goes on with the journal", left(), hub_.now());
  StoryHead next;
  if (!restoring_ && !left_.heads.empty()) {
    next = take_first();
  }
  std::string name;
  try {
    name = restoring_ ? restoring_->story.stream.name : next.stream.name;
    if (!next.stream.name.empty()) {
      start(next);
    }
    if (restoring_ && restoring_->restoration.go_on(rows)) {
      finish();
    }
  } catch (const std::exception& failure) {
    attempt("cannot go on; it stays in the journal for the next start", [&] {
      log(LogLevel::kError, "cannot go on; it stays in the journal for the next start",
          {{"stream", name}, {"cause", failure.what()}});
    });
    restoring_.reset();
  }
  close_where_done();
  hub_.count_streams();
  hub_.reconsider();
}

// In their order, for the last one is what the channel shows.
void LeftStreams::restore_channel(const std::string& channel) {
  if (restoring_ && restoring_->story.stream.channel == channel) {
    go_on(StreamRestoration::kAll);
  }
  while (true) {
    const auto found =
        std::find_if(left_.heads.begin(), left_.heads.end(),
                     [&](const StoryHead& head) { return head.stream.channel == channel; });
    if (found == left_.heads.end()) {
      return;
    }
    restore_now(found);
  }
}

void LeftStreams::restore_named(const std::string& name) {
  if (restoring_ && restoring_->story.stream.name == name) {
    go_on(StreamRestoration::kAll);  // those that were on its channel before are there
    return;
  }
  const auto found = std::find_if(left_.heads.begin(), left_.heads.end(),
                                  [&](const StoryHead& head) { return head.stream.name == name; });
  if (found == left_.heads.end()) {
    return;
  }
  if (const std::optional<std::string> channel = found->stream.channel) {
    restore_channel(*channel);
  } else {
    restore_now(found);
  }
}

void LeftStreams::leave_rest() {
  restoring_.reset();
  left_ = {};
}

std::ptrdiff_t LeftStreams::left() const noexcept {
  return std::ssize(left_.heads) + (restoring_ ? 1 : 0);
}

int LeftStreams::open() const noexcept {
  const auto open = std::count_if(left_.heads.begin(), left_.heads.end(),
                                  [](const StoryHead& head) { return !head.ended; });
  return static_cast<int>(open) + (restoring_ && !restoring_->story.ended ? 1 : 0);
}

StoryHead LeftStreams::take_first() noexcept {
  StoryHead head = std::move(left_.heads.front());
  left_.heads.erase(left_.heads.begin());
  return head;
}

// If the journal still has it, and it has its channel: one that could not be read once may have
// been followed by another since.
void LeftStreams::start(const StoryHead& head) {
  const auto follows = [&](const StoryHead& later) {
    return later.stream.channel == head.stream.channel;
  };
  if (!head.ended && head.stream.channel &&
      std::any_of(left_.heads.begin(), left_.heads.end(), follows)) {
    log(LogLevel::kInfo, "has ended: another stream took its channel",
        {{"stream", head.stream.name}});
    hub_.journal()->append(0, {.stream = head.stream.name, .ends = true});
    if (hub_.backplane() != nullptr) {
      hub_.backplane()->runs_no_more(head.stream.name);
    }
    return;
  }
  JournaledStory story = left_.read(head);
  const bool forgotten = head.ended && std::ssize(story.rows) < head.rows;
  if (!forgotten) {
    restoring_ = std::make_unique<Restoring>(hub_, std::move(story));
  }
}

// The stream that is on its way, which is the hub's from now on.
void LeftStreams::finish() {
  restoring_->restoration.go_on(StreamRestoration::kAll);
  const std::unique_ptr<Restoring> last = std::move(restoring_);
  const JournaledStory& story = last->story;
  const auto restored = last->restoration.take();
  if (const auto* error = std::get_if<std::string>(&restored)) {
    log(LogLevel::kError, "cannot go on; the journal keeps what was said",
        {{"stream", story.stream.name}, {"cause", *error}});
    if (!story.ended) {
      hub_.journal()->append(0, given_up(story));
    }
    if (hub_.backplane() != nullptr) {
      hub_.backplane()->runs_no_more(story.stream.name);
    }
    return;
  }
  const auto& stream = std::get<std::shared_ptr<Stream>>(restored);
  if (story.ended) {
    hub_.remember(stream);
    return;
  }
  hub_.enter(stream, /*fence=*/0);
  stream->wait_from(served_from_);
  hub_.tell_away(*stream, true);
  log(LogLevel::kInfo, "goes on from the journal; it waits for its sender",
      {{"stream", story.stream.name}, {"seconds", hub_.options().resume.count()}});
}

// The journal is not read any more.
void LeftStreams::close_where_done() noexcept {
  if (left() == 0) {
    left_.read = nullptr;
  }
}

// Before all others, but for the one that is on its way.
void LeftStreams::restore_now(std::vector<StoryHead>::iterator head) {
  if (restoring_) {
    go_on(StreamRestoration::kAll);
  }
  std::rotate(left_.heads.begin(), head, head + 1);
  go_on(StreamRestoration::kAll);
}

}  // namespace surtitle
