// Parses the metrics that a daemon exports at /metrics.
//
// Thread-safety: immutable after construction.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class MetricsScrape {
 public:
  // `text` is in Prometheus' text format. Invalid lines are skipped.
  explicit MetricsScrape(std::string_view text);

  // Returns the value of a series such as "surtitle_streams" or
  // "surtitle_errors_total{code=\"slow\"}", or 0 if there is no such series.
  double value(const std::string& series) const;
  // Returns the sum over all series of the name.
  double sum(const std::string& name) const;
  // Returns the values of a label over all series of the name, in order; for example the models of
  // surtitle_model_load_ratio.
  std::vector<std::string> label_values(const std::string& name, std::string_view label) const;
  // Returns the quantile `share` of the observations of a histogram since `before`, interpolated
  // within a bucket, or nullopt if there are none. `labels`: "" or "model=\"de-en\"".
  std::optional<double> quantile(const std::string& name, const std::string& labels, double share,
                                 const MetricsScrape& before) const;
  // Returns the mean of these observations, or nullopt if there are none.
  std::optional<double> mean(const std::string& name, const std::string& labels,
                             const MetricsScrape& before) const;

 private:
  std::map<std::string, double> values_;  // by series
};

}  // namespace surtitle
