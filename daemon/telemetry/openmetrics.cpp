#include "daemon/telemetry/openmetrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "model/text/ascii.h"

namespace surtitle {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::string_view kTotal = "_total";
constexpr std::string_view kInfo = "_info";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c == '\\' || c == '"' ? std::string{'\\', c} : std::string(1, c);
    }
  }
  return out;
}

// Returns the number with a point or an exponent, which OpenMetrics requires of `le`.
std::string number(double value) {
  if (std::isinf(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  if (std::isnan(value)) {
    return "NaN";
  }
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  std::string digits(text.data(), end);
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

std::string labels(const std::vector<ClientMetric::Label>& given,
                   const std::optional<double>& le = std::nullopt) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append(text.empty() ? "{" : ",").append(name).append("=\"").append(escaped(value));
    text.append("\"");
  };
  for (const ClientMetric::Label& label : given) {
    add(label.name, label.value);
  }
  if (le) {
    add("le", number(*le));
  }
  return text.empty() ? text : text + "}";
}

struct Kind {
  std::string_view name;
  std::string_view suffix;  // the part of the name that only samples have, not the family
};

Kind kind_of(const MetricFamily& family) {
  const std::string_view name = family.name;
  switch (family.type) {
    case MetricType::Counter:
      return {"counter", name.ends_with(kTotal) ? kTotal : ""};
    case MetricType::Histogram:
      return {"histogram", ""};
    case MetricType::Gauge:
      return name.ends_with(kInfo) ? Kind{"info", kInfo} : Kind{"gauge", ""};
    default:
      return {"unknown", ""};
  }
}

std::string_view unit_of(std::string_view name) {
  constexpr std::array<std::string_view, 6> kUnits{"seconds", "bytes",  "ratio",
                                                   "words",   "tokens", "lines"};
  for (const std::string_view unit : kUnits) {
    if (name.ends_with(unit) && name.size() > unit.size() &&
        name[name.size() - unit.size() - 1] == '_') {
      return unit;
    }
  }
  return {};
}

void add_samples(const MetricFamily& family, const ClientMetric& metric, std::string& text) {
  const auto sample = [&](std::string_view suffix, const std::string& with, double value) {
    text.append(family.name).append(suffix).append(with).append(" ").append(number(value));
    text.append("\n");
  };
  const std::string plain = labels(metric.label);
  if (family.type == MetricType::Counter) {
    sample("", plain, metric.counter.value);
  } else if (family.type == MetricType::Histogram) {
    for (const ClientMetric::Bucket& bucket : metric.histogram.bucket) {
      sample("_bucket", labels(metric.label, bucket.upper_bound),
             static_cast<double>(bucket.cumulative_count));
    }
    sample("_count", plain, static_cast<double>(metric.histogram.sample_count));
    sample("_sum", plain, metric.histogram.sample_sum);
  } else {
    sample("", plain, metric.gauge.value);
  }
}

// Removes and returns the part before the separator.
std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = trimmed(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

double quality(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string to_openmetrics(const std::vector<MetricFamily>& families) {
  std::string text;
  for (const MetricFamily& family : families) {
    const Kind kind = kind_of(family);
    const std::string_view name =
        std::string_view(family.name).substr(0, family.name.size() - kind.suffix.size());
    const auto line = [&](std::string_view what, std::string_view value) {
      text.append("# ").append(what).append(" ").append(name).append(" ").append(value);
      text.append("\n");
    };
    line("TYPE", kind.name);
    if (const std::string_view unit = unit_of(name); !unit.empty()) {
      line("UNIT", unit);
    }
    line("HELP", escaped(family.help));
    for (const ClientMetric& metric : family.metric) {
      add_samples(family, metric, text);
    }
  }
  return text + "# EOF\n";
}

bool prefers_openmetrics(std::string_view accept) {
  double openmetrics = 0;
  double plain = 0;
  while (!accept.empty()) {
    std::string_view range = next_part(accept, ',');
    const std::string type = lower(next_part(range, ';'));
    double q = 1;
    bool ours = true;
    while (!range.empty()) {
      const std::string parameter = lower(next_part(range, ';'));
      if (parameter.starts_with("q=")) {
        q = quality(std::string_view(parameter).substr(2));
      } else if (parameter.starts_with("version=")) {
        ours = parameter == "version=1.0.0" || parameter == "version=\"1.0.0\"";
      }
    }
    if (type == "application/openmetrics-text" && ours) {
      openmetrics = std::max(openmetrics, q);
    } else if (type == "text/plain") {
      plain = std::max(plain, q);
    }
  }
  return openmetrics > 0 && openmetrics >= plain;
}

}  // namespace surtitle
