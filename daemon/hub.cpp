#include "daemon/hub.h"

#include <algorithm>
#include <exception>
#include <random>
#include <span>
#include <string_view>
#include <utility>

#include "daemon/stream_sender.h"
#include "daemon/viewer.h"

namespace surtitle {

Hub::Hub(HubOptions options, DaemonMetrics& metrics, Post post)
    : options_(std::move(options)), metrics_(metrics), post_(std::move(post)) {}

Hub::~Hub() = default;

void Hub::add_model(const ModelSource& source) {
  BatchLoopOptions loop;
  loop.inbox_commands = options_.inbox_commands;
  loop.deliver = [this](std::vector<TranslationEvent> events) {
    post_([this, events = std::move(events)] { deliver(events); });
  };
  loop.room = [this] { post_([this] { inbox_has_room(); }); };
  // The loop's own thread fills in the name before the first step.
  const auto name = std::make_shared<std::string>();
  loop.report = [this, name](const StepReport& report) { metrics_.step(*name, report); };
  const auto make = [&source, name] {
    std::unique_ptr<Translator> translator = source.make_translator();
    *name = translator->info().name;
    return translator;
  };
  auto model = std::make_unique<Model>();
  model->tokenizers = source.tokenizers;
  model->loop = std::make_unique<BatchLoop>(make, std::move(loop));
  infos_.push_back(model->loop->info());
  models_.push_back(std::move(model));
  const int tokens = infos_.back().max_source_tokens;
  options_.limits.sentence_tokens =
      infos_.size() == 1 ? tokens : std::min(options_.limits.sentence_tokens, tokens);
  metrics_.add_model(infos_.back().name);
}

bool Hub::submit(std::size_t model, std::vector<TranslationCommand>& commands) {
  return models_.at(model)->loop->submit(commands);
}

void Hub::give_up(std::size_t model, const std::vector<SentenceKey>& sentences) {
  if (const std::unique_ptr<BatchLoop>& loop = models_.at(model)->loop) {
    loop->close(sentences);
  }
}

void Hub::stop() {
  drained_ = nullptr;
  for (const std::unique_ptr<Model>& model : models_) {
    model->loop.reset();
  }
}

bool Hub::enter(StreamSender& sender) {
  if (senders_.size() >= static_cast<std::size_t>(options_.streams)) {
    return false;
  }
  senders_[sender.number()] = &sender;
  metrics_.streams(static_cast<int>(senders_.size()));
  return true;
}

bool Hub::enter(Viewer& viewer) {
  if (viewers_.size() >= static_cast<std::size_t>(options_.viewers)) {
    return false;
  }
  viewers_[&viewer] = false;
  metrics_.viewers(static_cast<int>(viewers_.size()));
  return true;
}

void Hub::leave(StreamSender& sender) {
  senders_.erase(sender.number());
  metrics_.streams(static_cast<int>(senders_.size()));
  go_on_draining();
}

void Hub::leave(Viewer& viewer) {
  viewers_.erase(&viewer);
  metrics_.viewers(static_cast<int>(viewers_.size()));
  go_on_draining();
}

void Hub::drain(std::function<void()> drained) {
  draining_ = true;
  drained_ = std::move(drained);
  const auto senders = senders_;  // a sender may leave while it is told
  for (const auto& [number, sender] : senders) {
    if (senders_.contains(number)) {
      sender->drain(Clock::now());
    }
  }
  go_on_draining();
}

// Once the senders are gone, so that viewers see the last sentences.
void Hub::go_on_draining() {
  if (!draining_ || !senders_.empty()) {
    return;
  }
  for (auto& [viewer, told] : viewers_) {
    if (!std::exchange(told, true)) {
      viewer->drain();
    }
  }
  if (guests_ == 0 && drained_) {  // their last words are on the wire
    std::exchange(drained_, nullptr)();
  }
}

void Hub::deliver(const std::vector<TranslationEvent>& events) {
  const TimePoint now = Clock::now();
  for (auto begin = events.begin(); begin != events.end();) {
    const std::uint64_t stream = begin->key.stream;
    auto end = begin;
    while (end != events.end() && end->key.stream == stream) {
      ++end;
    }
    const auto sender = senders_.find(stream);
    if (sender != senders_.end()) {
      translated(*sender->second, std::span(begin, end), now);
    }
    begin = end;
  }
}

// What fails for one stream ends that stream alone.
void Hub::translated(StreamSender& sender, std::span<const TranslationEvent> events,
                     TimePoint now) {
  try {
    sender.translated(events, now);
  } catch (const std::exception& failure) {
    sender.broken(
        {protocol::ErrorCode::kInternal, std::string("the daemon failed: ") + failure.what()});
  }
}

void Hub::inbox_has_room() {
  const auto senders = senders_;
  for (const auto& [number, sender] : senders) {
    if (senders_.contains(number)) {
      sender->inbox_has_room(Clock::now());
    }
  }
}

std::string Hub::make_stream_name() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::random_device random;
  std::string name = "s-";
  for (int i = 0; i < 4; ++i) {
    for (unsigned int bits = random(), digit = 0; digit < 8; ++digit, bits >>= 4U) {
      name += kHex[bits & 0xFU];
    }
  }
  return name;
}

}  // namespace surtitle
