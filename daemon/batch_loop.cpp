#include "daemon/batch_loop.h"

#include <iterator>
#include <utility>

#include "daemon/step_price.h"

namespace surtitle {

BatchLoop::BatchLoop(const Factory& factory, BatchLoopOptions options, Environment& environment)
    : options_(std::move(options)), environment_(environment) {
  const auto begin = [this, &factory] {
    std::unique_ptr<Translator> translator = factory();
    info_ = translator->info();
    if (options_.measure_price) {
      price_ = measure_price(*translator, [this] { return environment_.now(); });
    }
    translator_ = std::move(translator);
  };
  worker_ = environment.start(
      {begin, [this] { return round(); }, [this] { translator_.reset(); }});  // where it was made
}

bool BatchLoop::submit(std::vector<TranslationCommand>& commands) {
  {
    const std::lock_guard lock(mutex_);
    // One message alone may be larger than the bound; it is let in when nothing else waits.
    if (!inbox_.empty() && inbox_.size() + commands.size() > options_.inbox_commands) {
      refused_ = true;
      return false;
    }
    inbox_.insert(inbox_.end(), std::make_move_iterator(commands.begin()),
                  std::make_move_iterator(commands.end()));
  }
  commands.clear();
  worker_->wake();
  return true;
}

void BatchLoop::close(const std::vector<SentenceKey>& sentences) {
  {
    const std::lock_guard lock(mutex_);
    for (const SentenceKey& key : sentences) {
      inbox_.push_back({TranslationCommand::Kind::kClose, key, nullptr, {}});
    }
  }
  worker_->wake();
}

TimePoint BatchLoop::round() {
  const TimePoint now = environment_.now();
  crumb_.comes_around(/*idle=*/false, now);
  std::vector<TranslationCommand> commands = take_inbox();
  crumb_.begins("takes commands", std::ssize(commands), now);
  for (TranslationCommand& command : commands) {
    apply(command);
  }
  admit();
  const bool can_move = step();
  tell_fill();
  if (!can_move) {
    answer_settling();
  }
  crumb_.begins("hands on what was written", std::ssize(events_), environment_.now());
  if (!events_.empty()) {
    options_.deliver(std::exchange(events_, {}));
  }
  crumb_.comes_around(/*idle=*/!can_move, environment_.now());
  return can_move ? Work::kAtOnce : Work::kOnceWoken;
}

std::vector<TranslationCommand> BatchLoop::take_inbox() {
  std::vector<TranslationCommand> commands;
  bool had_refused = false;
  {
    const std::lock_guard lock(mutex_);
    commands.swap(inbox_);
    had_refused = std::exchange(refused_, false);
  }
  if (had_refused && options_.room) {
    options_.room();
  }
  return commands;
}

void BatchLoop::apply(TranslationCommand& command) {
  using Kind = TranslationCommand::Kind;
  if (command.kind == Kind::kOpen) {
    Sentence& opened = sentences_[command.key];
    opened.policy = std::move(command.policy);
    opened.attention = command.attention;
    opened.beside = command.beside;
    opened.forced = std::move(command.forced);
    line_.push_back(command.key);
    admit();
    return;
  }
  if (command.kind == Kind::kSettle) {
    settling_.push_back(command.key);
    return;
  }
  const auto found = sentences_.find(command.key);
  if (found == sentences_.end()) {
    return;  // failed or closed already
  }
  Sentence& sentence = found->second;
  reads_ += static_cast<int>(command.tokens.size());
  if (command.kind == Kind::kClose) {
    give_up(found);
  } else if (!sentence.id) {
    sentence.tokens.insert(sentence.tokens.end(), command.tokens.begin(), command.tokens.end());
    sentence.finished = sentence.finished || command.kind == Kind::kFinish;
  } else {
    try {
      if (command.kind == Kind::kRead) {
        translator_->read(*sentence.id, command.tokens);
      } else {
        translator_->finish(*sentence.id);
      }
    } catch (const std::exception& error) {
      fail(found, error.what());
    }
  }
}

// Opens sentences from the head of the line while there are slots.
void BatchLoop::admit() {
  while (!line_.empty()) {
    const auto found = sentences_.find(line_.front());
    if (found == sentences_.end()) {
      line_.pop_front();
      continue;
    }
    Sentence& sentence = found->second;
    try {
      const std::optional<SentenceId> id = translator_->open(sentence.policy);
      if (!id) {
        return;
      }
      line_.pop_front();
      sentence.id = id;
      open_[*id] = found->first;
      if (sentence.attention) {
        translator_->show_attention(*id);
      }
      if (!sentence.forced.empty()) {
        translator_->force(*id, std::exchange(sentence.forced, {}));
      }
      share_source(sentence);
      if (!sentence.tokens.empty()) {
        translator_->read(*id, std::exchange(sentence.tokens, {}));
      }
      if (sentence.finished) {
        translator_->finish(*id);
      }
    } catch (const std::exception& error) {
      if (!sentence.id) {
        line_.pop_front();
      }
      fail(found, error.what());
    }
  }
}

// With the sentence that it stands beside, where that is open.
void BatchLoop::share_source(const Sentence& sentence) {
  if (!sentence.beside) {
    return;
  }
  const auto other = sentences_.find(*sentence.beside);
  if (other != sentences_.end() && other->second.id) {
    translator_->share_source(*sentence.id, *other->second.id);
  }
}

// Sentences also come and go without a step.
void BatchLoop::tell_fill() {
  const LoopFill fill{static_cast<int>(open_.size()),
                      static_cast<int>(sentences_.size() - open_.size())};
  if (options_.filled && fill != std::exchange(fill_, fill)) {
    options_.filled(fill);
  }
}

// Returns true where another step can move something.
bool BatchLoop::step() {
  if (open_.empty()) {
    return false;
  }
  writes_.clear();
  bool can_move = false;
  const TimePoint begin = environment_.now();
  crumb_.sentences(open_.size(), sentences_.size() - open_.size());
  crumb_.begins("a step after so many source tokens", reads_, begin);
  try {
    can_move = translator_->step(writes_);
  } catch (const std::exception& error) {
    fail_all_open(error.what());
    return !line_.empty();
  }
  const std::size_t open_before = open_.size();
  for (Write& write : writes_) {
    const auto open_sentence = open_.find(write.sentence);
    if (open_sentence == open_.end()) {
      continue;
    }
    const SentenceKey key = open_sentence->second;
    events_.push_back({.key = key,
                       .token = write.token,
                       .read = write.read,
                       .end = write.end,
                       .attention = std::move(write.attention)});
    if (write.end) {
      give_up(sentences_.find(key));
    }
  }
  if (options_.report) {
    options_.report(
        {environment_.now() - begin, static_cast<int>(writes_.size()), std::exchange(reads_, 0)});
  }
  const bool freed = open_.size() < open_before;
  return can_move || (freed && !line_.empty());
}

void BatchLoop::answer_settling() {
  for (const SentenceKey& key : std::exchange(settling_, {})) {
    TranslationEvent event{key};
    event.settled = true;
    events_.push_back(std::move(event));
  }
}

void BatchLoop::give_up(Sentences::iterator sentence) {
  if (const std::optional<SentenceId> id = sentence->second.id) {
    open_.erase(*id);
    try {
      translator_->close(*id);
    } catch (const std::exception&) {
      // The slot may be lost; the sentence is gone either way, and the others go on.
    }
  }
  sentences_.erase(sentence);
}

void BatchLoop::fail(Sentences::iterator sentence, const std::string& what) {
  events_.push_back({sentence->first, 0, 0, false, what});
  give_up(sentence);
}

void BatchLoop::fail_all_open(const std::string& what) {
  while (!open_.empty()) {
    fail(sentences_.find(open_.begin()->second), what);
  }
}

}  // namespace surtitle
