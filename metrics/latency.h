// Latency of a simultaneous translation: how far the target runs behind the source.
//
// g(i), the delay, is the number of source units that had been read when target unit i was written.
// J is the source's length, I the number of target units and R the reference's length. R' is R, or
// I if there is no reference. The unit (words, tokens, milliseconds) is the caller's choice and the
// same for all of them; name it beside the numbers. tau is the first i with g(i) >= J, or I.
//
//   AL        mean over i <= tau of g(i) - (i-1) J / R'         Ma et al. 2019; g(1) if g(1) > J
//   LAAL      the same with max(I, R') for R'                   Papi et al. 2022
//   AP        sum of all g(i) / (J R')                          Cho & Esipova 2016
//   DAL       mean of g'(i) - (i-1) J / I,                      Cherry & Foster 2019
//             g'(1) = g(1), g'(i) = max(g(i), g'(i-1) + J / I)
//   CW        g(I) / number of i with g(i) > g(i-1), g(0) = 0   consecutive wait, Gu et al. 2017
//   ATD       mean over i of e(i) - s(i)                        Kano et al. 2023, text to text;
//             e(i) = max(g(i), e(i-1)) + 1, e(0) = 0; s(i) = min(i - ahead, g(i)), the source unit
//             of i; ahead = max(0, number of units written before this run of equal delays - delay
//             of the run before)
//   AL_paper  AL with I for R'                                  as in Zhang & Feng 2022
//   YAAL      mean over g(i) < J of g(i) - (i-1) J / max(I, R') Polak et al. 2025
//   LongYAAL  the same over g(i) < E: the sentence is part of a recording that ends at E, which is
//             infinite by default
//
// AL, LAAL, AP, DAL and ATD equal SimulEval's for live text-to-text runs. AL, LAAL, AP, DAL, YAAL
// and LongYAAL equal OmniSTEval's. With the times at which units really appeared in place of g,
// they are computation aware.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace surtitle {

// A metric is nullopt if it is undefined. Without any write, all are. CW is undefined if nothing
// was read, AL and AP if R = 0, YAAL and LongYAAL if no g(i) counts. If J = 0, AP, DAL and both
// YAALs are undefined, and AL, LAAL and AL_paper unless g(1) > 0.
struct LatencyScores {
  std::optional<double> al;
  std::optional<double> laal;
  std::optional<double> ap;
  std::optional<double> dal;
  std::optional<double> atd;
  std::optional<double> cw;
  std::optional<double> al_paper;
  std::optional<double> start_offset;  // g(1)
  std::optional<double> end_offset;    // g(I) - J
  std::optional<double> num_chunks;    // I; SimulEval's name, though it counts units
  std::optional<double> yaal;
  std::optional<double> long_yaal;
};

// The metrics by their names in logs and reports, in printing order.
struct LatencyMetric {
  const char* name;
  std::optional<double> LatencyScores::*value;
};
inline constexpr std::array<LatencyMetric, 12> kLatencyMetrics = {{
    {"AL", &LatencyScores::al},
    {"LAAL", &LatencyScores::laal},
    {"AP", &LatencyScores::ap},
    {"DAL", &LatencyScores::dal},
    {"ATD", &LatencyScores::atd},
    {"CW", &LatencyScores::cw},
    {"AL_paper", &LatencyScores::al_paper},
    {"StartOffset", &LatencyScores::start_offset},
    {"EndOffset", &LatencyScores::end_offset},
    {"NumChunks", &LatencyScores::num_chunks},
    {"YAAL", &LatencyScores::yaal},
    {"LongYAAL", &LatencyScores::long_yaal},
}};

// Those that are also defined over the times at which units really appeared. Their names end in _CA
// then, as in SimulEval.
inline constexpr std::array<LatencyMetric, 6> kComputationAwareMetrics = {{
    {"AL_CA", &LatencyScores::al},
    {"LAAL_CA", &LatencyScores::laal},
    {"AP_CA", &LatencyScores::ap},
    {"DAL_CA", &LatencyScores::dal},
    {"YAAL_CA", &LatencyScores::yaal},
    {"LongYAAL_CA", &LatencyScores::long_yaal},
}};

// The source of a sentence, in the unit of the delays.
struct SourceSpan {
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  SourceSpan(double source_length, double end = kNever)
      : length(source_length), recording_end(end) {}

  double length;         // J
  double recording_end;  // E, counted from the sentence's begin
};

// Latency of one sentence while it is being written. write() costs O(1). scores() costs O(written),
// because AL, LAAL and DAL compare every delay with a source length that may have grown.
// Thread-safety: none; one owner.
class LatencyMeter {
 public:
  // Adds target unit I+1, written after `delay` source units had been read. It is negative if the
  // unit was written before the sentence began. REQUIRES: delay is at least the one before.
  void write(double delay);

  // The scores so far, equal to latency() of the delays so far.
  LatencyScores scores(SourceSpan source, std::optional<int> reference_length = {}) const;

  int written() const noexcept { return static_cast<int>(delays_.size()); }
  void reset();

 private:
  std::optional<double> average_lagging(double source_length, double target_length) const;
  std::optional<double> differentiable_average_lagging(double source_length) const;
  std::optional<double> average_lagging_until(double end, double pace) const;

  std::vector<double> delays_;
  double sum_ = 0;    // of the delays
  double waits_ = 0;  // writes after at least one new source unit

  // ATD. A run is a stretch of writes with equal delays.
  double before_run_ = 0;          // writes before the current run
  double previous_run_delay_ = 0;  // 0 in the first run
  double end_time_ = 0;            // of the last write
  double time_sum_ = 0;
};

// Returns the scores of one sentence. REQUIRES: delays never decrease.
LatencyScores latency(std::span<const double> delays, SourceSpan source,
                      std::optional<int> reference_length = {});

// Returns the corpus' scores: for each metric the unweighted mean over the sentences that have it.
LatencyScores mean(std::span<const LatencyScores> scores);

}  // namespace surtitle
