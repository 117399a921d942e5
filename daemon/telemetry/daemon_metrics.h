// What the daemon measures of itself, for Prometheus. No label comes from a client.
//
// Thread-safety: full.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/base/clock.h"
#include "daemon/protocol/protocol.h"
#include "daemon/translation/batch_loop.h"
#include "metrics/latency.h"

namespace surtitle {

class DaemonMetrics {
 public:
  // `revision`: of the source, where it is known.
  explicit DaemonMetrics(const std::string& version, const std::string& revision = "unknown");
  DaemonMetrics(const DaemonMetrics&) = delete;
  DaemonMetrics& operator=(const DaemonMetrics&) = delete;
  ~DaemonMetrics();

  void add_model(const std::string& model);  // its series are there from now on
  void streams(int now);
  void viewers(int now);
  void source_words(int more);
  void target_tokens(int more);
  void revisions(int more);  // committed words that a recogniser wanted to change
  void snapshot_sent();      // to a slow viewer, in place of queued messages
  void stream_log_written(int lines);
  void stream_log_dropped(int lines);
  void stream_log_aborted();
  void journal_written(int entries, Seconds duration);  // one transaction
  void journal_failing(bool failing);
  void backplane_up(bool up);
  void backplane_behind(std::int64_t entries);            // that Redis does not have
  void backplane_written(int entries, Seconds duration);  // together
  void backplane_backlog(int entries);
  void stream_adopted();   // of another replica
  void stream_released();  // to another replica
  void resumed();          // a sender went on with its stream on another connection
  void error(protocol::ErrorCode code);
  void refused(int status);  // one of HTTP: 400, 401, 403, 421, 429 or 503
  void reloaded(bool well);  // files on SIGHUP
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
  // "network" or a model's name: it does not come around, or does again.
  void watch(const std::string& thread);  // its series are there from now on
  void stalled(const std::string& thread);
  void stall_over(const std::string& thread);
  void write_delay(Seconds delay);
  // A completed sentence, over words.
  void sentence(std::string_view policy_name, const LatencyScores& scores);

  enum class Format { kText, kOpenMetrics };  // Prometheus' 0.0.4, OpenMetrics 1.0.0
  std::string exposition(Format format = Format::kText) const;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace surtitle
