#include "daemon/translation/batch_loop.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <span>
#include <utility>

#include "daemon/translation/step_cost.h"

namespace surtitle {

BatchLoop::BatchLoop(const Factory& factory, BatchLoopOptions options, Environment& environment)
    : options_(std::move(options)), environment_(environment) {
  const auto begin = [this, &factory] {
    std::unique_ptr<Translator> translator = factory();
    info_ = translator->info();
    if (options_.calibrate) {
      step_cost_ = calibrate_step_cost(*translator, [this] { return environment_.now(); });
    }
    // open_waiting() needs no memory then.
    open_.reserve(static_cast<std::size_t>(info_.max_sentences));
    translator_ = std::move(translator);
  };
  worker_ = environment.start({begin, [this] { return run_once(); },
                               [this] { translator_.reset(); }});  // on the thread that made it
}

bool BatchLoop::submit(std::vector<TranslationCommand>& commands) {
  {
    const MutexLock lock(mutex_);
    // The commands of one message may exceed the capacity; an empty inbox accepts them.
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
    const MutexLock lock(mutex_);
    for (const SentenceKey& key : sentences) {
      inbox_.push_back({TranslationCommand::Kind::kClose, key, nullptr, {}});
    }
  }
  worker_->wake();
}

TimePoint BatchLoop::run_once() {
  if (std::exchange(round_ended_, false)) {
    crumb_.end_round(/*idle=*/false, environment_.now());
  }
  collect_writes();  // of an earlier tick, before its slots are given to other sentences
  drain_inbox();
  deliver();  // tokens that were held until these commands
  open_waiting();
  const bool can_move = tick();
  report_failures();
  report_occupancy();
  if (!can_move) {
    notify_idle();
  }
  answer_drafts();
  deliver();
  round_ended_ = true;
  crumb_.end_round(/*idle=*/!can_move, environment_.now());
  return can_move ? Task::kImmediately : Task::kWhenNotified;
}

void BatchLoop::drain_inbox() {
  apply_commands();
  {
    const MutexLock lock(mutex_);
    commands_.swap(inbox_);
    notify_space_ = std::exchange(refused_, false) || notify_space_;
  }
  if (notify_space_ && options_.on_space) {
    options_.on_space();
  }
  notify_space_ = false;
  crumb_.begin_step("apply commands", std::ssize(commands_), environment_.now());
  apply_commands();
}

void BatchLoop::apply_commands() {
  for (; applied_ < commands_.size(); ++applied_) {
    apply(commands_[applied_]);
  }
  commands_.clear();
  applied_ = 0;
}

void BatchLoop::apply(TranslationCommand& command) {
  using Kind = TranslationCommand::Kind;
  if (command.kind == Kind::kOpen) {
    open(command);
    return;
  }
  if (command.kind == Kind::kNotifyWhenIdle) {
    notify_when_idle_.push_back(command.key);
    return;
  }
  const auto found = sentences_.find(command.key);  // unless it failed or is closed already
  if (found != sentences_.end()) {
    if (command.kind == Kind::kClose) {
      cancel(found);
    } else if (!found->second.failure) {
      command.kind == Kind::kFinish ? finish(*found) : read(*found, command);
    }
  }
  if (command.kind == Kind::kReadAhead) {
    drafts_asked_.push_back(command.key);
  }
}

void BatchLoop::read(Sentences::value_type& entry, const TranslationCommand& command) {
  Sentence& sentence = entry.second;
  Lookahead& lookahead = sentence.lookahead;
  std::span<const int> tokens(command.tokens);
  reserve_slot(entry);
  std::optional<std::vector<int>> more;
  if (command.kind == TranslationCommand::Kind::kReadAhead) {
    const auto limit = static_cast<std::size_t>(info_.max_source_tokens);
    tokens = tokens.first(std::min(tokens.size(), limit - lookahead.committed()));
    more = lookahead.read_ahead(tokens);
  } else {
    events_.reserve(events_.size() + lookahead.held());
    sentence.words.reserve(sentence.words.size() + 1);
    more = lookahead.commit(tokens);
    lookahead.release(events_);
  }
  if (!more) {
    begin_again(sentence);
    return;
  }
  reads_ += static_cast<int>(more->size());
  if (!sentence.id && sentence.watched) {
    sentence.words.push_back(*std::move(more));
  } else if (sentence.id && (!more->empty() || tokens.empty())) {
    try {
      translator_->read(*sentence.id, *more);
    } catch (const std::exception&) {
      fail(sentence);
    }
  }
}

void BatchLoop::finish(Sentences::value_type& entry) {
  Sentence& sentence = entry.second;
  reserve_slot(entry);
  sentence.finished = true;
  if (!sentence.lookahead.finish()) {
    begin_again(sentence);
  } else if (sentence.id) {
    try {
      translator_->finish(*sentence.id);
    } catch (const std::exception&) {
      fail(sentence);
    }
  }
}

// Puts an open sentence into the queue for slots, before all others, in case that it begins again.
void BatchLoop::reserve_slot(const Sentences::value_type& entry) {
  if (entry.second.id && entry.second.lookahead.is_ahead()) {
    waiting_queue_.push_front(entry.first);
  }
}

// The translator has read other source than the sentence has now. REQUIRES: reserve_slot().
void BatchLoop::begin_again(Sentence& sentence) {
  reads_ += static_cast<int>(sentence.lookahead.source().size());
  close_in_translator(sentence);
}

void BatchLoop::open(TranslationCommand& command) {
  Sentence& sentence = sentences_[command.key];
  waiting_queue_.push_back(command.key);
  sentence.policy = std::move(command.policy);
  sentence.attention = command.attention;
  sentence.watched = command.watched;
  sentence.target = command.target;
  sentence.shares_source_with = command.shares_source_with;
  sentence.lookahead = Lookahead(std::move(command.forced));
}

// Opens waiting sentences in order while there are slots.
void BatchLoop::open_waiting() {
  while (!waiting_queue_.empty()) {
    const auto found = sentences_.find(waiting_queue_.front());
    const bool waits = found != sentences_.end() && !found->second.id && !found->second.failure;
    if (waits && !open_waiting(*found)) {
      return;
    }
    waiting_queue_.pop_front();
  }
}

// Returns false if there is no slot.
bool BatchLoop::open_waiting(Sentences::value_type& waiting) {
  Sentence& sentence = waiting.second;
  try {
    sentence.id = translator_->open(sentence.policy);
    if (!sentence.id) {
      return false;
    }
    open_.emplace(*sentence.id, waiting.first);
    translator_->translate_into(*sentence.id, sentence.target);
    if (sentence.attention) {
      translator_->record_attention(*sentence.id);
    }
    if (sentence.watched) {
      translator_->watch_starts(*sentence.id);
    }
    if (!sentence.lookahead.target().empty()) {
      translator_->force(*sentence.id, sentence.lookahead.target());
    }
    share_source(sentence);
    if (!sentence.watched) {
      translator_->read(*sentence.id, sentence.lookahead.source());
    }
    for (const auto& tokens : std::exchange(sentence.words, {})) {
      translator_->read(*sentence.id, tokens);
    }
    if (sentence.finished) {
      translator_->finish(*sentence.id);
    }
  } catch (const std::exception&) {
    fail(sentence);
  }
  return true;
}

// Shares the source with the other sentence, if that is open.
void BatchLoop::share_source(const Sentence& sentence) {
  if (!sentence.shares_source_with) {
    return;
  }
  const auto other = sentences_.find(*sentence.shares_source_with);
  if (other != sentences_.end() && other->second.id) {
    translator_->share_source(*sentence.id, *other->second.id);
  }
}

// Called in each round, because sentences are opened and closed without a tick, too.
void BatchLoop::report_occupancy() {
  const LoopOccupancy occupancy{static_cast<int>(open_.size()),
                                static_cast<int>(sentences_.size() - open_.size())};
  if (options_.on_occupancy && occupancy != occupancy_) {
    options_.on_occupancy(occupancy);
  }
  occupancy_ = occupancy;
}

// Returns true if another tick can move a sentence.
bool BatchLoop::tick() {
  if (open_.empty()) {
    return false;
  }
  bool can_move = false;
  const TimePoint begin = environment_.now();
  crumb_.set_sentences(open_.size(), sentences_.size() - open_.size());
  crumb_.begin_step("translator step, source tokens", reads_, begin);
  try {
    can_move = translator_->tick(writes_);
  } catch (const std::exception&) {
    writes_.clear();
    fail_all_open();
    return !waiting_queue_.empty();
  }
  const std::size_t open_before = open_.size();
  const auto written = static_cast<int>(std::count_if(
      writes_.begin(), writes_.end(), [](const Write& write) { return !write.start.has_value(); }));
  collect_writes();
  if (options_.report) {
    options_.report({environment_.now() - begin, written, std::exchange(reads_, 0)});
  }
  const bool freed = open_.size() < open_before;
  return can_move || (freed && !waiting_queue_.empty());
}

void BatchLoop::collect_writes() {
  reserve_events();  // the loop does not throw
  for (Write& write : writes_) {
    const auto open_sentence = open_.find(write.sentence);
    if (open_sentence == open_.end()) {
      continue;
    }
    const SentenceKey key = open_sentence->second;
    const auto sentence = sentences_.find(key);
    Lookahead& lookahead = sentence->second.lookahead;
    lookahead.add({.key = key,
                   .token = write.token,
                   .read = write.read,
                   .end = write.end,
                   .attention = std::move(write.attention),
                   .start = write.start});
    lookahead.release(events_);
    if (write.end) {
      cancel(sentence);
    }
  }
  writes_.clear();
}

void BatchLoop::reserve_events() {
  events_.reserve(events_.size() + writes_.size());
  for (const Write& write : writes_) {
    const auto open_sentence = open_.find(write.sentence);
    if (open_sentence != open_.end()) {
      sentences_.find(open_sentence->second)->second.lookahead.reserve(writes_.size());
    }
  }
}

void BatchLoop::notify_idle() {
  events_.reserve(events_.size() + notify_when_idle_.size());
  for (const SentenceKey& key : notify_when_idle_) {
    TranslationEvent event{key};
    event.idle = true;
    events_.push_back(std::move(event));
  }
  notify_when_idle_.clear();
}

bool BatchLoop::waits_for_source(std::uint64_t stream) const {
  auto sentence = sentences_.lower_bound({stream, 0, 0});
  while (sentence != sentences_.end() && sentence->first.stream == stream && sentence->second.id &&
         translator_->waits_for_source(*sentence->second.id)) {
    ++sentence;
  }
  return sentence == sentences_.end() || sentence->first.stream != stream;
}

void BatchLoop::answer_drafts() {
  for (std::size_t asked = drafts_asked_.size(); asked > 0; --asked) {
    const SentenceKey key = drafts_asked_.front();
    if (waits_for_source(key.stream)) {
      const auto sentence = sentences_.find(key);
      TranslationEvent event{key};
      event.draft =
          sentence == sentences_.end() ? std::vector<int>() : sentence->second.lookahead.draft();
      events_.push_back(std::move(event));
    } else {
      drafts_asked_.push_back(key);
    }
    drafts_asked_.pop_front();
  }
}

void BatchLoop::deliver() {
  crumb_.begin_step("deliver events", std::ssize(events_), environment_.now());
  while (delivery_ || !events_.empty()) {
    if (!delivery_) {
      const auto events = std::make_shared<std::vector<TranslationEvent>>();
      events->swap(events_);
      delivery_ = events;
    }
    options_.deliver(delivery_);
    delivery_.reset();
  }
}

void BatchLoop::cancel(Sentences::iterator sentence) noexcept {
  close_in_translator(sentence->second);
  failed_ -= sentence->second.failure ? 1 : 0;
  sentences_.erase(sentence);
}

void BatchLoop::close_in_translator(Sentence& sentence) noexcept {
  if (const std::optional<SentenceId> id = std::exchange(sentence.id, std::nullopt)) {
    open_.erase(*id);
    try {
      translator_->close(*id);
    } catch (const std::exception&) {
      // The slot may be lost. The sentence is removed either way, and the others continue.
    }
  }
}

// REQUIRES: called in a catch block; the exception is the failure.
void BatchLoop::fail(Sentence& sentence) noexcept {
  close_in_translator(sentence);
  sentence.failure = std::current_exception();
  ++failed_;
}

void BatchLoop::fail_all_open() noexcept {
  while (!open_.empty()) {
    fail(sentences_.find(open_.begin()->second)->second);
  }
}

void BatchLoop::report_failures() {
  for (auto sentence = sentences_.begin(); failed_ > 0 && sentence != sentences_.end();) {
    const auto found = sentence++;
    if (!found->second.failure) {
      continue;
    }
    try {
      std::rethrow_exception(found->second.failure);
    } catch (const std::bad_alloc&) {
      events_.push_back({.key = found->first, .failure = "out of memory"});
    } catch (const std::exception& failure) {
      events_.push_back({.key = found->first, .failure = failure.what()});
    }
    cancel(found);
  }
}

}  // namespace surtitle
