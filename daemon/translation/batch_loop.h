// The batching loop: owns a Translator, aside from the network thread, and moves all open sentences
// by batched steps, one in each round.
//
// Commands come in from any thread through a bounded inbox; what was written goes out after every
// step, grouped, to one callback on the loop's thread. The batch is formed anew at every step from
// the sentences whose policy says WRITE. Nothing waits for a batch to fill, nothing polls, and no
// lock is held while the translator runs. Where the translator has no free slot, sentences wait in
// line in the order they were opened.
//
// A sentence that the translator refuses fails alone. Where a step throws, all sentences open in
// the translator fail and the loop goes on with the next ones. Where memory runs out outside the
// translator, nothing fails: the round is done again from there, and what is open moves on.
//
// Thread-safety: submit(), close() and info() from any thread. The factory, the translator and the
// callbacks run where the environment has the loop's work, a thread of its own.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/breadcrumb.h"
#include "daemon/base/clock.h"
#include "daemon/base/environment.h"
#include "daemon/translation/admission_controller.h"
#include "daemon/translation/translation_command.h"
#include "model/engine/translator.h"

namespace surtitle {

// One step, for measurement.
struct StepReport {
  Seconds duration{0};
  int writes = 0;  // the batch's size
  int reads = 0;   // source tokens that came since the last one
};

// The numbers of sentences in a loop.
struct LoopOccupancy {
  int open = 0;     // in the translator
  int waiting = 0;  // queued for a slot

  bool operator==(const LoopOccupancy&) const = default;
};

struct BatchLoopOptions {
  std::size_t inbox_commands = 16384;  // waiting for the running step to end; beyond, refused

  // All of these may throw std::bad_alloc where they have done nothing, and all but `report` are
  // called again then.
  //
  // Called with a step's events, those of a stream in order; again with the same.
  std::function<void(std::shared_ptr<const std::vector<TranslationEvent>>)> deliver;
  // Called once the inbox has space again after it refused commands.
  std::function<void()> on_space;
  std::function<void(const StepReport&)> report;           // after each step
  std::function<void(const LoopOccupancy&)> on_occupancy;  // after it has changed
  bool calibrate = false;  // measures step_cost() before the constructor returns
};

class BatchLoop {
 public:
  using Factory = std::function<std::unique_ptr<Translator>()>;

  // Starts the loop and makes the translator there; returns when it is made. Throws what the
  // factory throws. The end of it lets the running step end.
  BatchLoop(const Factory& factory, BatchLoopOptions options,
            Environment& environment = system_environment());
  BatchLoop(const BatchLoop&) = delete;
  BatchLoop& operator=(const BatchLoop&) = delete;
  ~BatchLoop() = default;

  const ModelInfo& info() const noexcept { return info_; }
  // The cost of steps at the start, if it was measured.
  const StepCostModel& step_cost() const noexcept { return step_cost_; }
  const Breadcrumb& crumb() const noexcept { return crumb_; }

  // Submits all commands. If the inbox is full, submits none, returns false, and calls on_space
  // later.
  bool submit(std::vector<TranslationCommand>& commands);

  // Cancels sentences. Never refused, so that no slot is lost.
  void close(const std::vector<SentenceKey>& sentences);

 private:
  // A sentence that is not complete.
  struct Sentence {
    PolicyPtr policy;
    bool attention = false;        // whether it is to be told
    std::optional<SentenceId> id;  // nullopt while it is queued
    std::vector<int> tokens;       // that came while it waited
    bool finished = false;         // likewise
    std::optional<SentenceKey> shares_source_with = std::nullopt;
    std::vector<int> forced;     // until it is open
    std::exception_ptr failure;  // until that is told
  };
  using Sentences = std::map<SentenceKey, Sentence>;
  using OpenSentences = std::map<SentenceId, SentenceKey>;

  // Of a round. What throws can be called again, and goes on with what is not done yet.
  TimePoint run_once();
  bool apply_and_admit();
  void drain_inbox();
  void apply_commands();
  void apply(TranslationCommand& command);
  void open(TranslationCommand& command);
  void admit();
  bool admit(Sentences::value_type& waiting);
  bool step();
  void collect_writes();
  void report_failures();
  void report_occupancy();
  void notify_idle();
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

  // Guarded by mutex_.
  std::mutex mutex_;
  std::vector<TranslationCommand> inbox_;
  bool refused_ = false;

  // The loop's work alone.
  bool turn_ended_ = true;
  std::vector<TranslationCommand> commands_;  // out of the inbox
  std::size_t applied_ = 0;                   // of them
  bool notify_space_ = false;                 // on_space is to be called
  std::unique_ptr<Translator> translator_;
  Sentences sentences_;
  OpenSentences open_;                         // those in the translator
  OpenSentences::node_type spare_node_;        // for the next one that is opened
  std::deque<SentenceKey> waiting_queue_;      // for slots; some may be closed by now
  std::vector<SentenceKey> notify_when_idle_;  // of kNotifyWhenIdle
  int failed_ = 0;                             // sentences whose failure is to be told
  int reads_ = 0;                              // source tokens since the last step
  LoopOccupancy occupancy_;                    // as it was reported last
  std::vector<Write> writes_;                  // that are no events yet
  std::vector<TranslationEvent> events_;
  std::shared_ptr<const std::vector<TranslationEvent>> delivery_;  // that is to be delivered

  std::unique_ptr<Worker> worker_;  // last: starts when everything else stands
};

}  // namespace surtitle
