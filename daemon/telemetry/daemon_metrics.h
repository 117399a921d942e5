// All metrics of the daemon, for Prometheus. No label is from a client.
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

  void add_model(const std::string& model);  // makes the model's series
  void streams(int now);
  void viewers(int now);
  void source_words(int more);
  void target_tokens(int more);
  void revisions(int more);  // committed words that later hypotheses change
  void snapshot_sent();      // to a slow viewer, in place of queued messages
  void stream_log_written(int lines);
  void stream_log_dropped(int lines);
  void stream_log_aborted();
  void journal_written(int entries, Seconds duration);  // one transaction
  void journal_failing(bool failing);
  void backplane_up(bool up);
  void backplane_behind(std::int64_t entries);            // number that Redis lacks now
  void backplane_written(int entries, Seconds duration);  // one batch, sent at once
  void backplane_backlog(int entries);                    // sent later, from the journal's file
  void stream_adopted();                                  // from another replica
  void stream_released();                                 // to another replica
  void resumed();                                         // by its sender on a new connection
  void error(protocol::ErrorCode code);                   // sent to a client
  void refused(int status);                               // HTTP 400, 401, 403, 421, 429 or 503
  void reloaded(bool well);                               // files on SIGHUP
  void step(const std::string& model, const StepReport& report);
  void occupancy(const std::string& model, const LoopOccupancy& fill);
  void model_load(const std::string& model, double share);
  struct AdmissionState {
    double network_load = 0;
    double delay_p95_seconds = 0;
    bool closed = false;
  };
  void admission(const AdmissionState& state);
  void finished(protocol::ByeReason reason);  // a stream
  // Stalls of a thread, as the watchdog reports them. watch() makes the thread's series.
  void watch(const std::string& thread);
  void stalled(const std::string& thread);
  void stall_over(const std::string& thread);
  void write_delay(Seconds delay);
  // Terms of a glossary in a sentence, and those that its translation has.
  struct TermCounts {
    int found = 0;
    int written = 0;
  };
  // The scores of a completed sentence, in words, and the words that its translation left out.
  // `speech`: scores on the source's clock, in seconds.
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
