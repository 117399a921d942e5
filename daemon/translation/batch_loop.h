// The batching loop: owns a Translator and moves all open sentences by batched steps.
//
// Commands arrive from any thread through a bounded inbox. After each step, one callback receives
// its events. Each step's batch has all sentences whose policy allows a write at that moment. The
// loop never waits for a batch to fill, never polls, and holds no lock while the translator runs.
// If the translator has no free slot, sentences wait in the order in which they were opened.
//
// If the translator rejects a sentence, that sentence fails alone. If a step throws, all sentences
// open in the translator fail, and the loop continues with the next ones. If memory runs out
// outside the translator, no sentence fails: the round is repeated from there.
//
// Thread-safety: submit(), close() and info() may be called from any thread. The factory, the
// translator and the callbacks run on the loop's own thread, which the environment provides.
#pragma once

#include <boost/container/flat_map.hpp>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/breadcrumb.h"
#include "daemon/base/clock.h"
#include "daemon/base/environment.h"
#include "daemon/telemetry/step_report.h"
#include "daemon/translation/lookahead.h"
#include "daemon/translation/step_cost_model.h"
#include "daemon/translation/translation_command.h"
#include "model/engine/translator.h"
#include "model/util/mutex.h"

namespace surtitle {

struct BatchLoopOptions {
  std::size_t inbox_commands = 16384;  // capacity; further commands are rejected

  // A callback may throw std::bad_alloc if it has done nothing. It is called again then, except for
  // `report`.
  //
  // Receives the events of a step, those of a stream in order. A repeated call has the same events.
  std::function<void(std::shared_ptr<const std::vector<TranslationEvent>>)> deliver;
  // Called when the inbox has space again after it rejected commands.
  std::function<void()> on_space;
  std::function<void(const StepReport&)> report;           // called after each step
  std::function<void(const LoopOccupancy&)> on_occupancy;  // called when it has changed
  bool calibrate = false;  // whether the constructor measures step_cost()
};

class BatchLoop {
 public:
  using Factory = std::function<std::unique_ptr<Translator>()>;

  // Starts the loop, makes the translator on its thread, and returns when that is done. Throws what
  // the factory throws. The destructor waits for the running step.
  BatchLoop(const Factory& factory, BatchLoopOptions options,
            Environment& environment = system_environment());
  BatchLoop(const BatchLoop&) = delete;
  BatchLoop& operator=(const BatchLoop&) = delete;
  ~BatchLoop() = default;

  const ModelInfo& info() const noexcept { return info_; }
  // The cost of steps at the start, if calibrate is set.
  const StepCostModel& step_cost() const noexcept { return step_cost_; }
  const Breadcrumb& crumb() const noexcept { return crumb_; }

  // Submits all commands. If the inbox is full, submits none, returns false, and calls on_space
  // later.
  bool submit(std::vector<TranslationCommand>& commands);

  // Cancels sentences. The inbox never rejects this, so that no slot is lost.
  void close(const std::vector<SentenceKey>& sentences);

 private:
  // A sentence that is not complete.
  struct Sentence {
    PolicyPtr policy;
    bool attention = false;        // whether events have the attention
    std::optional<SentenceId> id;  // nullopt while it waits for a slot
    bool watched = false;
    int target = 0;  // see Translator::translate_into()
    Lookahead lookahead;
    std::vector<std::vector<int>> words;  // of a watched sentence, read while it waited
    bool finished = false;
    std::optional<SentenceKey> shares_source_with = std::nullopt;
    std::exception_ptr failure;  // until it is reported
  };
  using Sentences = std::map<SentenceKey, Sentence>;
  using OpenSentences = boost::container::flat_map<SentenceId, SentenceKey>;

  // The parts of a round. A function that throws may be called again, and continues with the work
  // that is not done yet.
  TimePoint run_once();
  void drain_inbox();
  void apply_commands();
  void apply(TranslationCommand& command);
  void open(TranslationCommand& command);
  void read(Sentences::value_type& entry, const TranslationCommand& command);
  void finish(Sentences::value_type& entry);
  void reserve_slot(const Sentences::value_type& entry);
  void begin_again(Sentence& sentence);
  void open_waiting();
  bool open_waiting(Sentences::value_type& waiting);
  bool tick();
  void collect_writes();
  void reserve_events();
  void report_failures();
  void report_occupancy();
  void notify_idle();
  bool waits_for_source(std::uint64_t stream) const;
  void answer_drafts();
  void deliver();

  void share_source(const Sentence& sentence);
  void cancel(Sentences::iterator sentence) noexcept;
  void close_in_translator(Sentence& sentence) noexcept;
  void fail(Sentence& sentence) noexcept;
  void fail_all_open() noexcept;

  const BatchLoopOptions options_;
  Environment& environment_;
  // Set before the constructor returns.
  ModelInfo info_;
  StepCostModel step_cost_;
  Breadcrumb crumb_;

  Mutex mutex_;
  std::vector<TranslationCommand> inbox_ GUARDED_BY(mutex_);
  bool refused_ GUARDED_BY(mutex_) = false;

  // Used by the loop's thread alone.
  bool round_ended_ = true;
  std::vector<TranslationCommand> commands_;  // from the inbox
  std::size_t applied_ = 0;                   // number of commands_ that are applied
  bool notify_space_ = false;                 // whether on_space must be called
  std::unique_ptr<Translator> translator_;
  Sentences sentences_;
  OpenSentences open_;                         // the sentences in the translator
  std::deque<SentenceKey> waiting_queue_;      // for slots; some sentences may be closed
  std::vector<SentenceKey> notify_when_idle_;  // keys of kNotifyWhenIdle
  std::deque<SentenceKey> drafts_asked_;       // keys of kReadAhead
  int failed_ = 0;                             // sentences with a failure to report
  int reads_ = 0;                              // source tokens since the last step
  LoopOccupancy occupancy_;                    // as reported last
  std::vector<Write> writes_;                  // not yet turned into events
  std::vector<TranslationEvent> events_;
  std::shared_ptr<const std::vector<TranslationEvent>> delivery_;  // being delivered

  std::unique_ptr<Worker> worker_;  // last, as it uses all other members
};

}  // namespace surtitle
