#include "daemon/telemetry/daemon_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <iterator>
#include <optional>
#include <vector>

#include "daemon/telemetry/openmetrics.h"
#include "daemon/telemetry/process_metrics.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

const Buckets kSeconds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28};
const Buckets kBatch{1, 2, 4, 8, 16, 32, 64, 128, 256};
const Buckets kWords{0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20, 30};
const Buckets kLag{0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20};  // seconds
const Buckets kRatio{0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1, 1.5};

}  // namespace

struct DaemonMetrics::Series {
  Series(const std::string& version, const std::string& revision);

  Family<Counter>& counters(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }
  Family<Gauge>& gauges(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }
  Family<Histogram>& histograms(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  }

  prometheus::Registry registry;

  Gauge& streams =
      gauges("surtitle_streams", "Streams, attached or detached, and senders that have none yet")
          .Add({});
  Gauge& viewers = gauges("surtitle_viewers", "Viewers connected").Add({});
  Counter& source_words = counters("surtitle_source_words_total", "Source words received").Add({});
  Counter& untranslated =
      counters("surtitle_untranslated_words_total", "Source words that a translation left out")
          .Add({});
  Family<Counter>& terms = counters("surtitle_glossary_terms_total",
                                    "Terms of glossaries in complete sentences, by whether their "
                                    "translation was written");
  Counter& terms_written = terms.Add({{"outcome", "written"}});
  Counter& terms_missing = terms.Add({{"outcome", "missing"}});
  Counter& target_tokens =
      counters("surtitle_target_tokens_total", "Target tokens written").Add({});
  Counter& revisions = counters("surtitle_source_revisions_total",
                                "Committed source words that later hypotheses change")
                           .Add({});
  Counter& snapshots = counters("surtitle_viewer_snapshots_total",
                                "Snapshots sent to slow viewers in place of queued messages")
                           .Add({});
  Counter& log_lines =
      counters("surtitle_stream_log_lines_total", "Lines written to stream logs").Add({});
  Counter& log_lines_dropped =
      counters("surtitle_stream_log_dropped_lines_total",
               "Lines missing from stream logs because the disk failed or was too slow")
          .Add({});
  Counter& logs_aborted = counters("surtitle_stream_logs_aborted_total",
                                   "Stream logs that were aborted before their stream ended")
                              .Add({});
  Counter& journal_entries =
      counters("surtitle_journal_entries_total", "Entries committed to the journal").Add({});
  Histogram& journal_commits =
      histograms("surtitle_journal_commit_seconds", "Duration of a journal transaction")
          .Add({}, kSeconds);
  Gauge& journal_failing =
      gauges("surtitle_journal_failing", "1 while the journal cannot be written and streams wait")
          .Add({});
  // Without a backplane, the series does not exist: 0 would read as an outage.
  prometheus::Family<Gauge>& backplane_up = gauges(
      "surtitle_backplane_up", "1 while Redis, through which replicas share streams, answers");
  Gauge& backplane_behind = gauges("surtitle_backplane_behind_entries",
                                   "Entries of the journal that Redis does not have yet")
                                .Add({});
  Counter& backplane_entries =
      counters("surtitle_backplane_entries_total", "Entries of the journal written to Redis")
          .Add({});
  Counter& backplane_backlog =
      counters("surtitle_backplane_backlog_entries_total",
               "Entries written to Redis later, from the backlog in the journal")
          .Add({});
  Histogram& backplane_writes =
      histograms("surtitle_backplane_write_seconds", "Duration of a batch of writes to Redis")
          .Add({}, kSeconds);
  Counter& streams_adopted = counters("surtitle_backplane_streams_adopted_total",
                                      "Streams of other replicas that this one adopted")
                                 .Add({});
  Counter& streams_released = counters("surtitle_backplane_streams_released_total",
                                       "Streams whose ownership passed to another replica")
                                  .Add({});
  Counter& resumes = counters("surtitle_stream_resumes_total",
                              "Streams resumed by their sender on a new connection")
                         .Add({});
  Histogram& write_delay =
      histograms("surtitle_write_delay_seconds",
                 "Time from the source token that made a write possible to the write on a socket")
          .Add({}, kSeconds);

  Family<Counter>& errors = counters("surtitle_errors_total", "Errors sent to clients, by code");
  Family<Counter>& refusals =
      counters("surtitle_refusals_total", "Connections and requests refused, by HTTP status");
  Family<Counter>& reloads =
      counters("surtitle_reloads_total", "Reloads of files on SIGHUP, by result");
  Family<Counter>& sentences =
      counters("surtitle_sentences_total", "Sentences completed, by policy");
  Family<Histogram>& steps =
      histograms("surtitle_step_seconds", "Duration of a step of the batching loop, by model");
  Family<Histogram>& batches =
      histograms("surtitle_batch_size", "Tokens that a step wrote, by model");
  Family<Gauge>& open = gauges("surtitle_sentences_open", "Sentences in the translator, by model");
  Family<Gauge>& waiting =
      gauges("surtitle_sentences_waiting", "Sentences waiting for the translator, by model");

  Family<Gauge>& model_load = gauges("surtitle_model_load_ratio",
                                     "Share of a model's time that its streams need, by model");
  Gauge& network_load =
      gauges("surtitle_network_load_ratio", "Share of the network thread's time that streams need")
          .Add({});
  Gauge& delay_p95 = gauges("surtitle_admission_delay_p95_seconds",
                            "95th percentile of the delay of words, over the last two seconds")
                         .Add({});
  Gauge& closed =
      gauges("surtitle_admission_closed", "1 while new streams are rejected for overload").Add({});
  Family<Counter>& finished =
      counters("surtitle_streams_finished_total", "Streams that ended, by the reason of bye");
  Family<Counter>& stalls = counters("surtitle_stalls_total", "Stalls of a thread, by thread");
  Family<Gauge>& stalled = gauges("surtitle_stalled", "1 while a thread stalls, by thread");

  // Latency of completed sentences, by policy.
  Family<Histogram>& al =
      histograms("surtitle_average_lagging_words", "AL of completed sentences, by policy");
  Family<Histogram>& lagging =
      histograms("surtitle_average_lagging_seconds",
                 "AL of completed sentences on the clock of the speaker, by policy");
  Family<Histogram>& ap =
      histograms("surtitle_average_proportion_ratio", "AP of completed sentences, by policy");
  Family<Histogram>& dal = histograms("surtitle_differentiable_average_lagging_words",
                                      "DAL of completed sentences, by policy");
  Family<Histogram>& cw =
      histograms("surtitle_consecutive_wait_words", "CW of completed sentences, by policy");
  Family<Histogram>& yaal =
      histograms("surtitle_yaal_words", "YAAL of completed sentences, by policy");
  Family<Histogram>& long_yaal =
      histograms("surtitle_long_yaal_words", "LongYAAL of completed sentences, by policy");
  Family<Histogram>& long_yaal_seconds =
      histograms("surtitle_long_yaal_seconds",
                 "LongYAAL of completed sentences on the clock of the speaker, by policy");
  Family<Histogram>& aware_long_yaal_seconds =
      histograms("surtitle_computation_aware_long_yaal_seconds",
                 "The same with the time of the computation, by policy");
};

DaemonMetrics::Series::Series(const std::string& version, const std::string& revision) {
  gauges("surtitle_build_info", "Always 1; version and revision are in the labels")
      .Add({{"version", version}, {"revision", revision}})
      .Set(1);
  // Every series exists from the start.
  for (int code = 0; code < protocol::kErrorCodes; ++code) {
    errors.Add({{"code", std::string(name(static_cast<protocol::ErrorCode>(code)))}});
  }
  for (const char* status : {"400", "401", "403", "421", "429", "503"}) {
    refusals.Add({{"status", status}});
  }
  for (const char* result : {"ok", "failed"}) {
    reloads.Add({{"result", result}});
  }
  for (const protocol::ByeReason reason : protocol::kByeReasons) {
    finished.Add({{"reason", std::string(name(reason))}});
  }
  for (const PolicyHelp& policy : policy_help()) {
    const prometheus::Labels label{{"policy", policy.name}};
    sentences.Add(label);
    al.Add(label, kWords);
    lagging.Add(label, kLag);
    ap.Add(label, kRatio);
    dal.Add(label, kWords);
    cw.Add(label, kWords);
    yaal.Add(label, kWords);
    long_yaal.Add(label, kWords);
    long_yaal_seconds.Add(label, kLag);
    aware_long_yaal_seconds.Add(label, kLag);
  }
}

DaemonMetrics::DaemonMetrics(const std::string& version, const std::string& revision)
    : series_(std::make_unique<Series>(version, revision)) {}

DaemonMetrics::~DaemonMetrics() = default;

void DaemonMetrics::add_model(const std::string& model) {
  const prometheus::Labels label{{"model", model}};
  series_->steps.Add(label, kSeconds);
  series_->batches.Add(label, kBatch);
  series_->open.Add(label);
  series_->waiting.Add(label);
  series_->model_load.Add(label);
}

void DaemonMetrics::streams(int now) { series_->streams.Set(now); }
void DaemonMetrics::viewers(int now) { series_->viewers.Set(now); }
void DaemonMetrics::source_words(int more) { series_->source_words.Increment(more); }
void DaemonMetrics::target_tokens(int more) { series_->target_tokens.Increment(more); }
void DaemonMetrics::revisions(int more) { series_->revisions.Increment(more); }
void DaemonMetrics::snapshot_sent() { series_->snapshots.Increment(); }
void DaemonMetrics::stream_log_written(int more) { series_->log_lines.Increment(more); }
void DaemonMetrics::stream_log_dropped(int more) { series_->log_lines_dropped.Increment(more); }
void DaemonMetrics::stream_log_aborted() { series_->logs_aborted.Increment(); }
void DaemonMetrics::journal_written(int more, Seconds duration) {
  series_->journal_entries.Increment(more);
  series_->journal_commits.Observe(duration.count());
}
void DaemonMetrics::journal_failing(bool now) { series_->journal_failing.Set(now ? 1 : 0); }
void DaemonMetrics::backplane_up(bool now) { series_->backplane_up.Add({}).Set(now ? 1 : 0); }
void DaemonMetrics::backplane_behind(std::int64_t now) {
  series_->backplane_behind.Set(static_cast<double>(now));
}
void DaemonMetrics::backplane_written(int more, Seconds duration) {
  series_->backplane_entries.Increment(more);
  series_->backplane_writes.Observe(duration.count());
}
void DaemonMetrics::backplane_backlog(int more) {
  series_->backplane_entries.Increment(more);
  series_->backplane_backlog.Increment(more);
}
void DaemonMetrics::stream_adopted() { series_->streams_adopted.Increment(); }
void DaemonMetrics::stream_released() { series_->streams_released.Increment(); }
void DaemonMetrics::resumed() { series_->resumes.Increment(); }
void DaemonMetrics::write_delay(Seconds delay) { series_->write_delay.Observe(delay.count()); }

void DaemonMetrics::error(protocol::ErrorCode code) {
  series_->errors.Add({{"code", std::string(name(code))}}).Increment();
}

void DaemonMetrics::refused(int status) {
  series_->refusals.Add({{"status", std::to_string(status)}}).Increment();
}

void DaemonMetrics::reloaded(bool well) {
  series_->reloads.Add({{"result", well ? "ok" : "failed"}}).Increment();
}

void DaemonMetrics::step(const std::string& model, const StepReport& report) {
  const prometheus::Labels label{{"model", model}};
  series_->steps.Add(label, kSeconds).Observe(report.duration.count());
  series_->batches.Add(label, kBatch).Observe(report.writes);
}

void DaemonMetrics::occupancy(const std::string& model, const LoopOccupancy& now) {
  const prometheus::Labels label{{"model", model}};
  series_->open.Add(label).Set(now.open);
  series_->waiting.Add(label).Set(now.waiting);
}

void DaemonMetrics::sentence(std::string_view policy_name, const LatencyScores& scores,
                             int untranslated, const TermCounts& terms, const LatencyScores& speech,
                             const LatencyScores& aware_speech) {
  series_->untranslated.Increment(untranslated);
  series_->terms_written.Increment(terms.written);
  series_->terms_missing.Increment(terms.found - terms.written);
  const prometheus::Labels label{{"policy", std::string(policy_name)}};
  series_->sentences.Add(label).Increment();
  const auto observe = [&](Family<Histogram>& family, const Buckets& buckets,
                           const std::optional<double>& value) {
    if (value) {
      family.Add(label, buckets).Observe(*value);
    }
  };
  observe(series_->al, kWords, scores.al);
  observe(series_->lagging, kLag, speech.al);
  observe(series_->ap, kRatio, scores.ap);
  observe(series_->dal, kWords, scores.dal);
  observe(series_->cw, kWords, scores.cw);
  observe(series_->yaal, kWords, scores.yaal);
  observe(series_->long_yaal, kWords, scores.long_yaal);
  observe(series_->long_yaal_seconds, kLag, speech.long_yaal);
  observe(series_->aware_long_yaal_seconds, kLag, aware_speech.long_yaal);
}

void DaemonMetrics::model_load(const std::string& model, double now) {
  series_->model_load.Add({{"model", model}}).Set(now);
}

void DaemonMetrics::admission(const AdmissionState& now) {
  series_->network_load.Set(now.network_load);
  series_->delay_p95.Set(now.delay_p95_seconds);
  series_->closed.Set(now.closed ? 1 : 0);
}

void DaemonMetrics::finished(protocol::ByeReason reason) {
  series_->finished.Add({{"reason", std::string(name(reason))}}).Increment();
}

void DaemonMetrics::watch(const std::string& thread) {
  series_->stalls.Add({{"thread", thread}});
  series_->stalled.Add({{"thread", thread}});
}

void DaemonMetrics::stalled(const std::string& thread) {
  series_->stalls.Add({{"thread", thread}}).Increment();
  series_->stalled.Add({{"thread", thread}}).Set(1);
}

void DaemonMetrics::stall_over(const std::string& thread) {
  series_->stalled.Add({{"thread", thread}}).Set(0);
}

std::string DaemonMetrics::exposition(Format format) const {
  std::vector<prometheus::MetricFamily> families = series_->registry.Collect();
  std::vector<prometheus::MetricFamily> process = process_metrics();
  families.insert(families.end(), std::make_move_iterator(process.begin()),
                  std::make_move_iterator(process.end()));
  return format == Format::kOpenMetrics ? to_openmetrics(families)
                                        : prometheus::TextSerializer().Serialize(families);
}

}  // namespace surtitle
