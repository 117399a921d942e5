#include "daemon/replay/replay_run.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <utility>

namespace surtitle {

ReplayRun::ReplayRun(asio::any_io_executor executor, const ReplayPlan& plan,
                     ReplayWatchers watchers)
    : executor_(std::move(executor)), plan_(plan), report_(plan.streams) {
  for (int i = 0; i < plan_.streams; ++i) {
    streams_.push_back(std::make_shared<ReplayStream>(executor_, plan_, report_,
                                                      i == 0 ? watchers : ReplayWatchers{}));
  }
}

void ReplayRun::begin(std::function<void()> done) {
  done_ = std::move(done);
  begin_ = Clock::now();
  running_ = plan_.streams;
  for (int i = 0; i < plan_.streams; ++i) {
    const std::shared_ptr<ReplayStream>& stream = streams_[static_cast<std::size_t>(i)];
    asio::co_spawn(executor_, stream->run(part_of_stream(plan_, i, begin_)),
                   [this](const std::exception_ptr&, std::optional<std::string> failure) {
                     ended(std::move(failure));
                   });
  }
}

void ReplayRun::ended(std::optional<std::string> failure) {
  if (failure) {
    report_.error();
    if (failures_++ == 0) {
      first_failure_ = *std::move(failure);
    }
  }
  if (--running_ == 0) {
    const ReplayPart part = part_of_stream(plan_, 0, begin_);
    const TimePoint end = std::min(Clock::now(), part.measured_to);
    report_.lasted(Seconds(end - std::clamp(part.measured_from, begin_, end)).count());
    done_();
  }
}

void ReplayRun::stop() noexcept {
  for (const std::shared_ptr<ReplayStream>& stream : streams_) {
    stream->stop();
  }
}

std::optional<std::string> ReplayRun::failure() const {
  if (failures_ == 0) {
    return std::nullopt;
  }
  return plan_.streams == 1 ? first_failure_
                            : std::to_string(failures_) + " of " + std::to_string(plan_.streams) +
                                  " streams failed; the first: " + first_failure_;
}

}  // namespace surtitle
