#include "daemon/translation/mean_scores.h"

namespace surtitle {

protocol::Scores to_protocol(const LatencyScores& scores) {
  return {scores.al, scores.laal, scores.ap,   scores.dal,
          scores.cw, scores.atd,  scores.yaal, scores.long_yaal};
}

void MeanScores::add(const LatencyScores& scores) {
  ++sentences_;
  for (std::size_t i = 0; i < kLatencyMetrics.size(); ++i) {
    if (const std::optional<double>& value = scores.*kLatencyMetrics.at(i).value) {
      sums_.at(i).sum += *value;
      ++sums_.at(i).count;
    }
  }
}

LatencyScores MeanScores::mean() const {
  LatencyScores mean;
  for (std::size_t i = 0; i < kLatencyMetrics.size(); ++i) {
    if (sums_.at(i).count > 0) {
      mean.*kLatencyMetrics.at(i).value = sums_.at(i).sum / sums_.at(i).count;
    }
  }
  return mean;
}

}  // namespace surtitle
