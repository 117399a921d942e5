// The numbers of a daemon's /metrics, read.
//
// Thread-safety: plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class MetricsReading {
 public:
  // Prometheus' text format; lines that are none are passed over.
  explicit MetricsReading(std::string_view text);

  // "surtitle_streams", "surtitle_errors_total{code=\"slow\"}"; 0 where there is none.
  double value(const std::string& series) const;
  // Sum over all series of the name.
  double sum(const std::string& name) const;
  // What a label has of the name, in order: models of surtitle_step_seconds_count.
  std::vector<std::string> label_values(const std::string& name, std::string_view label) const;
  // `share` of what the histogram counted since `before` is at most as large, as far as the buckets
  // tell; nothing where nothing was counted. `labels`: "" or "model=\"de-en\"".
  std::optional<double> quantile(const std::string& name, const std::string& labels, double share,
                                 const MetricsReading& before) const;
  // The mean of what it counted since then.
  std::optional<double> mean(const std::string& name, const std::string& labels,
                             const MetricsReading& before) const;

 private:
  std::map<std::string, double> values_;  // by series
};

}  // namespace surtitle
