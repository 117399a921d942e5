#include "metrics/latency.h"

#include <algorithm>

namespace surtitle {

void LatencyMeter::write(double delay) {
  const double before = delays_.empty() ? 0 : delays_.back();
  if (delay > before) {
    ++waits_;
  }
  if (!delays_.empty() && delay != before) {
    before_run_ = static_cast<double>(delays_.size());
    previous_run_delay_ = before;
  }
  delays_.push_back(delay);
  sum_ += delay;

  // If more target than source precedes this run, ATD matches the target words with earlier source.
  const auto position = static_cast<double>(delays_.size());
  const double ahead = std::max(0.0, before_run_ - previous_run_delay_);
  const double matched_source = std::min(position - ahead, delay);
  end_time_ = std::max(delay, end_time_) + 1;
  time_sum_ += end_time_ - matched_source;
}

void LatencyMeter::reset() { *this = LatencyMeter(); }

std::optional<double> LatencyMeter::average_lagging(double source_length,
                                                    double target_length) const {
  if (delays_.front() > source_length) {
    return delays_.front();
  }
  if (source_length <= 0 || target_length <= 0) {
    return std::nullopt;
  }
  double sum = 0;
  double index = 0;
  for (const double delay : delays_) {
    sum += delay - index * source_length / target_length;
    ++index;
    if (delay >= source_length) {
      break;
    }
  }
  return sum / index;
}

std::optional<double> LatencyMeter::differentiable_average_lagging(double source_length) const {
  if (source_length <= 0) {
    return std::nullopt;
  }
  const auto length = static_cast<double>(delays_.size());
  const double pace = source_length / length;
  double sum = 0;
  double index = 0;
  double earliest = 0;  // g'(i-1) + J / I: a target word takes at least its share of the source
  for (const double delay : delays_) {
    const double paced = index == 0 ? delay : std::max(delay, earliest);
    sum += paced - index * pace;
    earliest = paced + pace;
    ++index;
  }
  return sum / length;
}

// The mean over the delays before `end`. `pace`: source units for each target unit.
std::optional<double> LatencyMeter::average_lagging_until(double end, double pace) const {
  double sum = 0;
  double index = 0;
  for (const double delay : delays_) {
    if (delay >= end) {
      break;
    }
    sum += delay - index * pace;
    ++index;
  }
  return index > 0 ? std::optional(sum / index) : std::nullopt;
}

LatencyScores LatencyMeter::scores(SourceSpan source, std::optional<int> reference_length) const {
  const double source_length = source.length;
  LatencyScores scores;
  if (delays_.empty()) {
    return scores;
  }
  const auto written_length = static_cast<double>(delays_.size());
  const double target_length = reference_length ? *reference_length : written_length;
  scores.al = average_lagging(source_length, target_length);
  scores.laal = average_lagging(source_length, std::max(written_length, target_length));
  if (source_length > 0 && target_length > 0) {
    scores.ap = sum_ / (source_length * target_length);
  }
  scores.dal = differentiable_average_lagging(source_length);
  scores.atd = time_sum_ / written_length;
  if (waits_ > 0) {
    scores.cw = delays_.back() / waits_;
  }
  scores.al_paper = average_lagging(source_length, written_length);
  scores.start_offset = delays_.front();
  scores.end_offset = delays_.back() - source_length;
  scores.num_chunks = written_length;
  if (source_length > 0) {
    const double pace = source_length / std::max(written_length, target_length);
    scores.yaal = average_lagging_until(source_length, pace);
    scores.long_yaal = average_lagging_until(source.recording_end, pace);
  }
  return scores;
}

LatencyScores latency(std::span<const double> delays, SourceSpan source,
                      std::optional<int> reference_length) {
  LatencyMeter meter;
  for (const double delay : delays) {
    meter.write(delay);
  }
  return meter.scores(source, reference_length);
}

LatencyScores mean(std::span<const LatencyScores> scores) {
  LatencyScores means;
  for (const LatencyMetric& metric : kLatencyMetrics) {
    double sum = 0;
    double count = 0;
    for (const LatencyScores& one : scores) {
      if (const std::optional<double>& value = one.*metric.value) {
        sum += *value;
        ++count;
      }
    }
    if (count > 0) {
      means.*metric.value = sum / count;
    }
  }
  return means;
}

}  // namespace surtitle
