// All metrics of the daemon, for Prometheus. No label contains a client's text.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"
#include "daemon/telemetry/step_report.h"
#include "metrics/latency.h"

namespace surtitle {

class DaemonMetrics {
 public:
  // `revision`: the source's, if it is known.
  explicit DaemonMetrics(const std::string& version, const std::string& revision = "unknown");
  DaemonMetrics(const DaemonMetrics&) = delete;
  DaemonMetrics& operator=(const DaemonMetrics&) = delete;
  ~DaemonMetrics();

  // Makes the model's series.
  void add_model(const std::string& model);

  // A parameter `now` sets a gauge, and `more` is added to a counter. Other functions count one
  // event, or observe one value of a histogram.
  void streams(int now);
  void viewers(int now);
  void source_words(int more);
  void target_tokens(int more);
  // Committed words that later hypotheses change.
  void revisions(int more);
  // A snapshot was sent to a slow viewer in place of its queued messages.
  void snapshot_sent();
  // Lines of stream logs.
  void stream_log_written(int more);
  void stream_log_dropped(int more);
  void stream_log_aborted();
  // One transaction, with `more` entries.
  void journal_written(int more, Seconds duration);
  void journal_failing(bool now);
  void backplane_up(bool now);
  // Entries that Redis lacks.
  void backplane_behind(std::int64_t now);
  // One batch, with `more` entries.
  void backplane_written(int more, Seconds duration);
  // Entries that were sent later, from the journal's file.
  void backplane_backlog(int more);
  // A stream of another replica was adopted, or a stream was released to another replica.
  void stream_adopted();
  void stream_released();
  // A stream was resumed by its sender on a new connection.
  void resumed();
  // An error was sent to a client.
  void error(protocol::ErrorCode code);
  // A request was rejected with this HTTP status: 400, 401, 403, 421, 429 or 503.
  void refused(int status);
  // Files were read again on SIGHUP. `well`: without an error.
  void reloaded(bool well);
  void step(const std::string& model, const StepReport& report);
  void occupancy(const std::string& model, const LoopOccupancy& now);
  void model_load(const std::string& model, double now);
  struct AdmissionState {
    double network_load = 0;
    double delay_p95_seconds = 0;
    bool closed = false;  // whether new streams are rejected
  };
  void admission(const AdmissionState& now);
  // A stream ended.
  void finished(protocol::ByeReason reason);
  // Stalls of a thread, as the watchdog reports them. watch() makes the thread's series.
  void watch(const std::string& thread);
  void stalled(const std::string& thread);
  void stall_over(const std::string& thread);
  void write_delay(Seconds delay);
  // Terms of a glossary: those found in a sentence's source, and those that its translation
  // contains.
  struct TermCounts {
    int found = 0;
    int written = 0;
  };
  // A completed sentence: its scores in words, and the words that its translation left out.
  // `speech`: scores on the source's clock, in seconds. `aware_speech`: the same, computation
  // aware.
  void sentence(std::string_view policy_name, const LatencyScores& scores, int untranslated,
                const TermCounts& terms, const LatencyScores& speech,
                const LatencyScores& aware_speech);

  enum class Format { kText, kOpenMetrics };  // Prometheus' text 0.0.4, OpenMetrics 1.0.0
  std::string exposition(Format format = Format::kText) const;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace surtitle
