#include "tests/daemon/support/openmetrics.h"

#include <cctype>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <stdexcept>

namespace surtitle {
namespace {

using Families = std::map<std::string, OpenMetricsFamily>;

void require(bool condition, const std::string& line, const std::string& what) {
  if (!condition) {
    throw std::runtime_error(what + ": " + line);
  }
}

const std::map<std::string, std::set<std::string>>& suffixes() {
  static const std::map<std::string, std::set<std::string>> all{
      {"counter", {"_total", "_created"}},
      {"gauge", {""}},
      {"histogram", {"_bucket", "_count", "_sum", "_created"}},
      {"info", {"_info"}},
      {"unknown", {""}}};
  return all;
}

double number(const std::string& text, const std::string& line) {
  if (text == "+Inf") {
    return std::numeric_limits<double>::infinity();
  }
  static const std::regex kNumber(R"([-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|NaN|-Inf)");
  require(std::regex_match(text, kNumber), line, "not a number");
  return std::stod(text);
}

std::map<std::string, std::string> labels(std::string text, const std::string& line) {
  static const std::regex kLabel(R"rx(([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$))rx");
  std::map<std::string, std::string> found;
  while (!text.empty()) {
    std::smatch match;
    require(std::regex_search(text, match, kLabel, std::regex_constants::match_continuous), line,
            "labels");
    require(found.emplace(match[1], match[2]).second, line, "a label twice");
    require(match[3].length() == 0 || match.suffix().length() > 0, line, "a comma at the end");
    text = match.suffix();
  }
  return found;
}

// Checks that a histogram's buckets grow, end at +Inf, and agree with its count.
void check_histogram(const OpenMetricsFamily& family, const std::string& name) {
  std::map<std::map<std::string, std::string>, std::pair<double, double>> last;  // le, count
  std::map<std::map<std::string, std::string>, double> counts;
  for (const OpenMetricsSample& sample : family.samples) {
    auto others = sample.labels;
    if (sample.name == name + "_bucket") {
      require(others.contains("le"), name, "a bucket without le");
      const std::string le = others["le"];
      require(le == "+Inf" || le.find_first_of(".e") != std::string::npos,
              std::string(name).append(" ").append(le), "le is not canonical");
      others.erase("le");
      const double bound = number(le, name);
      const auto before = last.find(others);
      require(before == last.end() ||
                  (before->second.first < bound && before->second.second <= sample.value),
              name, "buckets that do not grow");
      last[others] = {bound, sample.value};
    } else if (sample.name == name + "_count") {
      counts[others] = sample.value;
    }
  }
  require(last.size() == counts.size(), name, "counts without buckets");
  for (const auto& [others, bucket] : last) {
    require(std::isinf(bucket.first), name, "no bucket +Inf");
    require(counts.at(others) == bucket.second, name, "the count is not that of +Inf");
  }
}

void read_description(const std::string& line, Families& families, std::string& current) {
  static const std::regex kDescription(R"(# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*))");
  std::smatch match;
  require(std::regex_match(line, match, kDescription), line, "not a description");
  const std::string name = match[2];
  if (name != current) {
    require(!families.contains(name), line, "a family in two places");
    current = name;
  }
  OpenMetricsFamily& family = families[name];
  require(family.samples.empty(), line, "a description after samples");
  std::string& field = match[1] == "TYPE"   ? family.type
                       : match[1] == "UNIT" ? family.unit
                                            : family.help;
  require(field.empty(), line, "a second description");
  field = match[3];
  require(match[1] != "TYPE" || suffixes().contains(field), line, "no such type");
  require(match[1] != "UNIT" || name.ends_with("_" + field), line, "a name without its unit");
}

void read_sample(const std::string& line, Families& families, const std::string& current,
                 std::set<std::string>& seen) {
  static const std::regex kSample(R"(([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+))");
  std::smatch match;
  require(std::regex_match(line, match, kSample), line, "not a sample");
  OpenMetricsFamily& family = families[current];
  require(!family.type.empty(), line, "a sample without a type");
  const std::string name = match[1];
  require(
      name.starts_with(current) && suffixes().at(family.type).contains(name.substr(current.size())),
      line, "a sample that does not belong to " + current);
  const double value = number(match[3], line);
  require(family.type != "counter" || value >= 0, line, "a counter below 0");
  require(family.type != "info" || value == 1, line, "an info that is not 1");
  require(seen.insert(name + "{" + match[2].str()).second, line, "a sample twice");
  family.samples.push_back({name, labels(match[2], line), value});
}

}  // namespace

Families read_openmetrics(std::string_view text) {
  constexpr std::string_view kEnd = "# EOF\n";
  require(text.ends_with(kEnd), "", "no # EOF at the end");
  text.remove_suffix(kEnd.size());
  Families families;
  std::string current;
  std::set<std::string> seen;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    require(end != std::string_view::npos, std::string(text), "a line without an end");
    const std::string line(text.substr(0, end));
    text.remove_prefix(end + 1);
    require(!line.empty(), line, "an empty line");
    if (line.front() == '#') {
      read_description(line, families, current);
    } else {
      read_sample(line, families, current, seen);
    }
  }
  for (const auto& [name, family] : families) {
    require(!family.help.empty(), name, "no help");
    if (family.type == "histogram") {
      check_histogram(family, name);
    }
  }
  return families;
}

}  // namespace surtitle
