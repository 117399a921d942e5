// The mean of each latency metric over the sentences that have it, in constant memory.
//
// Thread-safety: none; one owner.
#pragma once

#include <array>

#include "daemon/protocol/protocol.h"
#include "metrics/latency.h"

namespace surtitle {

// Converts scores to the protocol's. Thread-safety: may be called from any thread.
protocol::Scores to_protocol(const LatencyScores& scores);

class MeanScores {
 public:
  void add(const LatencyScores& scores);

  LatencyScores mean() const;
  int sentences() const noexcept { return sentences_; }

 private:
  struct Sum {
    double sum = 0;
    int count = 0;
  };
  std::array<Sum, kLatencyMetrics.size()> sums_{};
  int sentences_ = 0;
};

}  // namespace surtitle
