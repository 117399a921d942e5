#include "metrics/instance_log.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "metrics/json_number.h"
#include "metrics/text.h"

namespace surtitle {
namespace {

namespace json = boost::json;

// Reports a problem of one line; the reader adds file and line.
[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Returns the value of `key`, or nullptr if it is missing or null.
const json::value* find(const json::object& line, std::string_view key) {
  const json::value* value = line.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

double to_any_number(const json::value& value, const std::string& what) {
  if (!value.is_number()) {
    refuse(what + " must be a number");
  }
  const auto number = value.to_number<double>();
  if (!std::isfinite(number)) {
    refuse(what + " must be finite");
  }
  return number;
}

double to_number(const json::value& value, const std::string& what) {
  if (value.is_number() &&
      (!(value.to_number<double>() >= 0) || !std::isfinite(value.to_number<double>()))) {
    refuse(what + " must be finite and at least 0");
  }
  return to_any_number(value, what);
}

double to_whole_number(const json::value& value, const std::string& what) {
  const double number = to_number(value, what);
  if (number != std::floor(number) || number > std::numeric_limits<int>::max()) {
    refuse(what + " must be a whole number of at most " +
           std::to_string(std::numeric_limits<int>::max()));
  }
  return number;
}

std::vector<double> to_numbers(const json::value& value, const std::string& what,
                               double (*to_number)(const json::value&, const std::string&)) {
  if (!value.is_array()) {
    refuse(what + " must be an array of numbers");
  }
  std::vector<double> numbers;
  for (const json::value& item : value.get_array()) {
    numbers.push_back(to_number(item, what + "[" + std::to_string(numbers.size()) + "]"));
  }
  return numbers;
}

std::optional<std::string> find_text(const json::object& line, std::string_view key) {
  const json::value* value = find(line, key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_string()) {
    refuse(std::string(key) + " must be a string or null");
  }
  return std::string(value->get_string());
}

std::vector<double> read_delays(const json::object& line) {
  const json::value* value = find(line, "delays");
  if (value == nullptr && line.contains("segid")) {  // OmniSTEval's, maybe without any word
    value = find(line, "emission_cu");
    return value == nullptr ? std::vector<double>()
                            : to_numbers(*value, "emission_cu", to_any_number);
  }
  if (value == nullptr) {
    refuse("field 'delays' is missing");
  }
  std::vector<double> delays = to_numbers(*value, "delays", to_number);
  const auto drop = std::is_sorted_until(delays.begin(), delays.end());
  if (drop != delays.end()) {
    refuse("delays[" + std::to_string(drop - delays.begin()) + "] must be at least the one before");
  }
  return delays;
}

double read_source_length(const json::object& line, const Instance& instance) {
  if (const json::value* length = find(line, "source_length")) {
    return to_number(*length, "source_length");
  }
  if (instance.source) {
    return static_cast<double>(python_split(*instance.source).size());
  }
  if (instance.recording) {
    return 0;  // unknown
  }
  refuse("neither 'source_length' nor 'source' is given");
}

// A line of speech output has durations; its prediction is the name of a sound file and its
// prediction_length a time.
bool is_speech_output(const json::object& line) { return line.contains("durations"); }

void check_prediction_length(const json::object& line, const Instance& instance) {
  const json::value* length = find(line, "prediction_length");
  if (length == nullptr || is_speech_output(line)) {
    return;
  }
  const double stated = to_whole_number(*length, "prediction_length");
  if (stated != static_cast<double>(instance.delays.size())) {
    refuse("prediction_length is " + json_number(stated) + " but there are " +
           std::to_string(instance.delays.size()) + " delays");
  }
}

Instance to_instance(const json::value& value, std::int64_t place) {
  if (!value.is_object()) {
    refuse("a line must be a JSON object");
  }
  const json::object& line = value.get_object();
  Instance instance;
  const json::value* index = find(line, "index");
  instance.index =
      index == nullptr ? place : static_cast<std::int64_t>(to_whole_number(*index, "index"));
  instance.delays = read_delays(line);
  if (!is_speech_output(line)) {
    instance.prediction = find_text(line, "prediction");
  }
  instance.reference = find_text(line, "reference");
  // For speech, `source` is a list of facts about the audio, of which the first is its name.
  const json::value* source = find(line, "source");
  if (source != nullptr && source->is_string()) {
    instance.source = std::string(source->get_string());
  } else if (const json::array* facts = source == nullptr ? nullptr : source->if_array();
             facts != nullptr && !facts->empty() && facts->front().is_string()) {
    instance.recording = std::string(facts->front().get_string());
  }
  if (const auto name = find_text(line, "recording")) {
    instance.recording = name;
  }
  instance.source_length = read_source_length(line, instance);
  if (line.contains("reference_length")) {
    if (const json::value* length = find(line, "reference_length")) {
      instance.reference_length = static_cast<int>(to_whole_number(*length, "reference_length"));
    }
  } else if (instance.reference) {
    instance.reference_length = count_pieces(*instance.reference);
  }
  if (const json::value* elapsed = find(line, "elapsed")) {
    instance.elapsed = to_numbers(*elapsed, "elapsed", to_number);
  } else if (const json::value* emission = find(line, "emission_ca")) {
    instance.elapsed = to_numbers(*emission, "emission_ca", to_any_number);
  }
  if (const json::value* end = find(line, "time_to_recording_end")) {
    instance.recording_end = to_number(*end, "time_to_recording_end");
  }
  check_prediction_length(line, instance);
  return instance;
}

Instance parse_line(const std::string& line, std::int64_t place) {
  json::error_code error;
  const json::value value = json::parse(line, error);
  if (error) {
    refuse("not JSON: " + error.message());
  }
  return to_instance(value, place);
}

LatencyScores latency_of(const Instance& instance, const std::vector<double>& delays) {
  const SourceSpan source(instance.source_length,
                          instance.recording_end.value_or(SourceSpan::kNever));
  LatencyScores scores = latency(delays, source, instance.reference_length);
  if (instance.recording_end) {
    scores.atd.reset();  // is over text, whose words last one unit of the delays each
  }
  return scores;
}

std::string to_json_array(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) {
    text += (text.size() > 1 ? ", " : "") + json_number(number);
  }
  return text + "]";
}

std::string to_json_string(const std::optional<std::string>& text) {
  return text ? json::serialize(*text) : "null";
}

}  // namespace

int count_pieces(std::string_view text) noexcept {
  return static_cast<int>(std::count(text.begin(), text.end(), ' ')) + 1;
}

LatencyScores latency(const Instance& instance) { return latency_of(instance, instance.delays); }

LatencyScores computation_aware_latency(const Instance& instance) {
  const bool is_known = instance.elapsed.size() == instance.delays.size() &&
                        std::any_of(instance.elapsed.begin(), instance.elapsed.end(),
                                    [](double time) { return time != 0; });
  return is_known ? latency_of(instance, instance.elapsed) : LatencyScores();
}

std::vector<Instance> read_instances(std::istream& in, const std::string& name) {
  std::vector<Instance> instances;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    try {
      instances.push_back(parse_line(line, static_cast<std::int64_t>(instances.size())));
    } catch (const std::invalid_argument& problem) {
      throw std::runtime_error(name + ":" + std::to_string(number) + ": " + problem.what());
    }
  }
  if (in.bad()) {
    throw std::runtime_error(name + ": cannot be read to its end");
  }
  return instances;
}

std::vector<Instance> read_instances(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    throw std::runtime_error(file.string() + ": cannot be read");
  }
  return read_instances(in, file.string());
}

std::string to_instance_log_line(const Instance& instance) {
  const std::vector<double> zeros(instance.delays.size());
  const std::vector<double>& elapsed = instance.elapsed.empty() ? zeros : instance.elapsed;
  std::string line = "{\"index\": " + std::to_string(instance.index);
  line += ", \"prediction\": " + to_json_string(instance.prediction);
  line += ", \"delays\": " + to_json_array(instance.delays);
  line += ", \"elapsed\": " + to_json_array(elapsed);
  line += ", \"prediction_length\": " + std::to_string(instance.delays.size());
  if (instance.recording) {
    line += ", \"recording\": " + to_json_string(instance.recording);
  }
  line += ", \"reference\": " + to_json_string(instance.reference);
  line += ", \"source\": " + to_json_string(instance.source);
  line += ", \"source_length\": " + json_number(instance.source_length);
  return line + "}";
}

}  // namespace surtitle
