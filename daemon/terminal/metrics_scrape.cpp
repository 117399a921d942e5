#include "daemon/terminal/metrics_scrape.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace surtitle {
namespace {

std::string with_labels(const std::string& name, const std::string& labels) {
  return labels.empty() ? name : name + "{" + labels + "}";
}

// Returns the value of a label in a series, or nullopt if the series does not have it.
std::optional<std::string> label_of(std::string_view series, std::string_view label) {
  const std::string begin = std::string(label) + "=\"";
  const std::size_t at = series.find(begin);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = series.substr(at + begin.size());
  return std::string(rest.substr(0, rest.find('"')));
}

}  // namespace

MetricsScrape::MetricsScrape(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t space = line.rfind(' ');
    if (space != std::string::npos && line.front() != '#') {
      values_[line.substr(0, space)] = std::strtod(line.c_str() + space + 1, nullptr);
    }
  }
}

double MetricsScrape::value(const std::string& series) const {
  const auto found = values_.find(series);
  return found == values_.end() ? 0 : found->second;
}

double MetricsScrape::sum(const std::string& name) const {
  double sum = value(name);
  for (auto one = values_.lower_bound(name + "{");
       one != values_.end() && one->first.starts_with(name + "{"); ++one) {
    sum += one->second;
  }
  return sum;
}

std::vector<std::string> MetricsScrape::label_values(const std::string& name,
                                                     std::string_view label) const {
  std::vector<std::string> found;
  for (auto one = values_.lower_bound(name + "{");
       one != values_.end() && one->first.starts_with(name + "{"); ++one) {
    if (const auto value = label_of(one->first, label)) {
      found.push_back(*value);
    }
  }
  return found;
}

std::optional<double> MetricsScrape::quantile(const std::string& name, const std::string& labels,
                                              double share, const MetricsScrape& before) const {
  std::vector<std::pair<double, double>> buckets;  // bound, observations up to it
  const std::string begin = name + "_bucket{" + labels + (labels.empty() ? "" : ",");
  for (auto one = values_.lower_bound(begin); one != values_.end() && one->first.starts_with(begin);
       ++one) {
    if (const auto le = label_of(one->first, "le")) {
      const double bound = *le == "+Inf" ? INFINITY : std::strtod(le->c_str(), nullptr);
      buckets.emplace_back(bound, one->second - before.value(one->first));
    }
  }
  std::sort(buckets.begin(), buckets.end());
  if (buckets.empty() || buckets.back().second <= 0) {
    return std::nullopt;
  }
  const double wanted = share * buckets.back().second;
  double least = 0;
  double below = 0;
  for (const auto& [bound, count] : buckets) {
    if (count >= wanted && count > below) {
      return std::isinf(bound) ? least
                               : least + (bound - least) * (wanted - below) / (count - below);
    }
    least = bound;
    below = count;
  }
  return least;
}

std::optional<double> MetricsScrape::mean(const std::string& name, const std::string& labels,
                                          const MetricsScrape& before) const {
  const std::string count = with_labels(name + "_count", labels);
  const std::string sum = with_labels(name + "_sum", labels);
  const double more = value(count) - before.value(count);
  return more > 0 ? std::optional((value(sum) - before.value(sum)) / more) : std::nullopt;
}

}  // namespace surtitle
