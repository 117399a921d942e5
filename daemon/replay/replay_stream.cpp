#include "daemon/replay/replay_stream.h"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cmath>
#include <cstdio>
#include <utility>
#include <variant>

#include "daemon/translation/sentence_splitter.h"

namespace surtitle {
namespace {

constexpr double kMaxSpread = 10.0;  // seconds
constexpr double kForever = 1e9;     // seconds; the clock can represent them

// Returns the longest pause within a sentence, in seconds of the log.
double longest_pause(const TimedTranscript& log) {
  double longest = 0;
  for (std::size_t i = 1; i < log.texts.size(); ++i) {
    if (!log.texts[i - 1].ends_sentence && log.texts[i].words > 0) {
      longest = std::max(longest, log.texts[i].time - log.texts[i - 1].time);
    }
  }
  return longest;
}

// Returns a position in [0, 1). The positions of any number of streams are scattered evenly. There
// are two ratios, so that a stream's place in the log is independent of the time when it begins.
constexpr double kGoldenRatio = 0.6180339887498949;
constexpr double kRootOfTwo = 1.4142135623730951;
double position_of(int stream, double ratio) {
  const double place = ratio * stream;
  return place - std::floor(place);
}

bool ends_with_sentence(const TimedText& timed, std::string_view language) {
  return timed.ends_sentence || ends_sentence(timed.text, language);
}

std::string one_digit(double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f", number);
  return text.data();
}

float milliseconds(Clock::duration duration) {
  return std::chrono::duration<float, std::milli>(duration).count();
}

}  // namespace

double stream_start(const ReplayPlan& plan, int stream) {
  const double spread = std::min({kMaxSpread, plan.transcript.length / plan.speed,
                                  plan.duration.value_or(4 * kMaxSpread) / 4});
  return spread * position_of(stream, kGoldenRatio);
}

std::size_t first_text_of_stream(const ReplayPlan& plan, int stream) {
  const std::vector<TimedText>& texts = plan.transcript.texts;
  const bool changes = std::any_of(texts.begin(), texts.end(),
                                   [](const TimedText& timed) { return !timed.changes.empty(); });
  if (!plan.duration || changes) {
    return 0;
  }
  const double place = position_of(stream, kRootOfTwo) * plan.transcript.length;
  auto first = std::partition_point(texts.begin(), texts.end(),
                                    [place](const TimedText& timed) { return timed.time < place; });
  while (first != texts.begin() && first != texts.end() &&
         !ends_with_sentence(*(first - 1), plan.start.source)) {
    ++first;
  }
  return first == texts.end() ? 0 : static_cast<std::size_t>(first - texts.begin());
}

ReplayPart part_of_stream(const ReplayPlan& plan, int stream, TimePoint begin) {
  const auto after = [begin](double seconds) { return begin + to_duration(Seconds(seconds)); };
  ReplayPart part;
  part.begin = after(stream_start(plan, stream));
  part.first_text = first_text_of_stream(plan, stream);
  if (plan.warm_up && plan.duration) {
    part.measured_from = after(*plan.warm_up);
    part.measured_to = after(*plan.duration);
  }
  return part;
}

ReplayStream::ReplayStream(const asio::any_io_executor& executor, const ReplayPlan& plan,
                           ReplayReport& report, ReplayWatchers watchers)
    : plan_(plan),
      report_(report),
      watchers_(watchers),
      client_(std::in_place, executor),
      timer_(executor) {}

asio::awaitable<std::optional<std::string>> ReplayStream::run(ReplayPart part) {
  part_ = part;
  if (!co_await wait_until(part_.begin)) {
    co_return std::nullopt;  // stopped before it began
  }
  if (plan_.duration) {
    until_ = Clock::now() + to_duration(Seconds(*plan_.duration));
  }
  std::optional<std::string> failure;
  try {
    failure = co_await translate();
    for (bool again = co_await may_try_again(); again; again = co_await may_try_again()) {
      failure = co_await translate();
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  stopped_ = true;
  timer_.cancel();
  co_return failure;
}

void ReplayStream::stop() noexcept {
  if (std::exchange(stopped_, true)) {
    client_->close();
  }
  timer_.cancel();
}

asio::awaitable<std::optional<std::string>> ReplayStream::translate() {
  co_await client_->connect(plan_.url, "/v1/stream");
  const protocol::ClientMessage start = plan_.start;
  co_await client_->send(start);
  while (std::optional<std::string_view> text = co_await client_->read()) {
    on_message(*text);
  }
  co_return outcome_.failure(plan_.url.text, client_->close_description());
}

// If the daemon rejected the stream as overloaded, waits for the next attempt. Returns whether
// there is one.
asio::awaitable<bool> ReplayStream::may_try_again() {
  const std::optional<int> seconds = outcome_.retry_seconds();
  if (!seconds || tracker_) {
    co_return false;
  }
  report_.overloaded();
  if (!plan_.retry) {
    co_return false;
  }
  const bool again =
      co_await wait_until(Clock::now() + std::chrono::seconds(std::max(*seconds, 1)));
  if (again) {
    outcome_ = {};
    client_.emplace(client_->get_executor());
  }
  co_return again;
}

// --- out ---

asio::awaitable<void> ReplayStream::send_log(TimePoint begin) {
  begin_ = begin;
  bool going = true;
  std::size_t first = part_.first_text;
  for (int pass = 0; going; ++pass, first = 0) {
    const double pass_begin =
        pass * plan_.transcript.length - plan_.transcript.texts[part_.first_text].time;
    for (std::size_t i = first; going && i < plan_.transcript.texts.size(); ++i) {
      const TimedText& timed = plan_.transcript.texts[i];
      const double time = (pass_begin + timed.time) / plan_.speed;
      const TimePoint due = begin + to_duration(Seconds(std::min(time, kForever)));
      going = co_await wait_until(due);
      if (going) {
        going = co_await send_text(timed, pass_begin, due);
      }
    }
    going = going && plan_.duration;
    if (going) {
      co_await end_sentence();  // separates two passes over the log
      co_await begin_again();
    }
  }
  if (plan_.duration) {
    co_await pause(until_);  // the stream lasts for all of the duration
  }
  outcome_.finish_sent(seq_);
  tracker_->ended(Clock::now());
  const protocol::ClientMessage finish = protocol::Finish();
  co_await client_->send(finish);
}

asio::awaitable<bool> ReplayStream::send_text(const TimedText& timed, double pass_begin,
                                              TimePoint due) {
  for (const protocol::Configure& change : timed.changes) {
    const protocol::ClientMessage configure = change;
    co_await client_->send(configure);
  }
  bool sent = true;
  if (timed.words > 0) {
    const TimePoint now = Clock::now();
    tracker_->sent(timed.words, now);
    if (measured(now)) {
      report_.sent(timed.words,
                   std::isinf(plan_.speed) ? std::nullopt : std::optional(milliseconds(now - due)));
    }
    if (watchers_.printer != nullptr) {
      watchers_.printer->source(timed.text);
    }
    if (watchers_.recorder != nullptr) {
      watchers_.recorder->sent(timed.words, milliseconds(now - begin_));
    }
    const protocol::ClientMessage source =
        protocol::Source{++seq_, timed.text, timed.clock + pass_begin};
    sent = co_await client_->send(source);
  }
  if (sent && timed.ends_sentence) {
    co_await end_sentence();
  }
  co_return sent;
}

asio::awaitable<void> ReplayStream::end_sentence() {
  tracker_->ended(Clock::now());
  const protocol::ClientMessage end = protocol::EndSentence();
  co_await client_->send(end);
}

// Restores the settings that the log changes to those at its beginning.
asio::awaitable<void> ReplayStream::begin_again() {
  protocol::Configure beginning;
  for (const TimedText& timed : plan_.transcript.texts) {
    for (const protocol::Configure& change : timed.changes) {
      if (change.model || change.policy) {
        beginning.model = ready_->model;
        beginning.policy = ready_->policy;
      }
      if (change.source_form) {
        beginning.source_form = plan_.start.source_form;
      }
    }
  }
  if (beginning != protocol::Configure()) {
    const protocol::ClientMessage configure = beginning;
    co_await client_->send(configure);
  }
}

// Returns false if nothing is to be sent at that time, because the stream has ended before.
asio::awaitable<bool> ReplayStream::wait_until(TimePoint due) {
  if (std::max(due, Clock::now()) >= until_) {
    co_return false;
  }
  co_await pause(due);
  co_return !stopped_;
}

asio::awaitable<void> ReplayStream::pause(TimePoint until) {
  if (!stopped_ && until > Clock::now()) {
    timer_.expires_at(until);
    boost::system::error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

bool ReplayStream::measured(TimePoint now) const noexcept {
  return part_.measured_from <= now && now < part_.measured_to;
}

// --- in ---

void ReplayStream::on_message(std::string_view text) {
  const std::optional<protocol::ServerMessage> message = outcome_.receive(text);
  if (!message) {
    return;
  }
  if (const auto* ready = std::get_if<protocol::Ready>(&*message)) {
    on_message(*ready);
  } else if (const auto* write = std::get_if<protocol::Write>(&*message); write && tracker_) {
    const TimePoint now = Clock::now();
    tracker_->received(*write, now);
    if (watchers_.printer != nullptr) {
      watchers_.printer->write(*write);
    }
    if (watchers_.recorder != nullptr) {
      watchers_.recorder->write(*write, milliseconds(now - begin_));
    }
  } else if (const auto* sentence = std::get_if<protocol::Sentence>(&*message);
             sentence && tracker_) {
    on_message(*sentence);
  } else if (const auto* error = std::get_if<protocol::Error>(&*message);
             error && protocol::is_notice(error->code)) {
    report_.error();
  }
}

void ReplayStream::on_message(const protocol::Ready& ready) {
  if (tracker_) {
    return;
  }
  ready_ = ready;
  warnings_ = ready.warnings;
  const double pause = longest_pause(plan_.transcript) / plan_.speed;
  const double silence = ready.limits.silence_seconds;
  if (!plan_.transcript.sentences.empty() && silence > 0 && pause >= silence) {
    warnings_.push_back("at this speed, a pause within a sentence lasts " + one_digit(pause) +
                        " seconds, but the server ends a sentence after " + one_digit(silence) +
                        " seconds");
  }
  tracker_.emplace(Seconds(ready.limits.silence_seconds), plan_.start.source);
  asio::co_spawn(client_->get_executor(), send_log(Clock::now()),
                 [self = shared_from_this()](const std::exception_ptr&) {});
}

void ReplayStream::on_message(const protocol::Sentence& sentence) {
  const std::vector<float> delays = tracker_->complete(sentence);
  if (measured(Clock::now())) {
    report_.completed(sentence, tracker_->tokens(), delays);
  }
  if (watchers_.printer != nullptr) {
    watchers_.printer->sentence(sentence);
  }
  if (watchers_.recorder != nullptr) {
    watchers_.recorder->complete(sentence, delays);
  }
}

}  // namespace surtitle
