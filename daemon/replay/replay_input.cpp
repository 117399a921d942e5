#include "daemon/replay/replay_input.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "daemon/base/json_repair.h"
#include "daemon/recognisers/subtitle_cues.h"
#include "daemon/replay/recognised_transcript.h"
#include "daemon/replay/stream_log_reader.h"
#include "metrics/instance_log.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

constexpr std::array<std::pair<std::string_view, ReplayFormat>, 6> kNames{
    {{"stream", ReplayFormat::kStream},
     {"instances", ReplayFormat::kInstances},
     {"timed", ReplayFormat::kTimed},
     {"text", ReplayFormat::kText},
     {"subtitles", ReplayFormat::kSubtitles},
     {"recogniser", ReplayFormat::kRecogniser}}};

std::string_view first_line(std::string_view content) {
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    return {};
  }
  return content.substr(begin, content.find('\n', begin) - begin);
}

bool is_instance(std::string_view line) {
  boost::system::error_code failure;
  const boost::json::value document = boost::json::parse(repair_json(line), failure);
  const boost::json::object* object = failure ? nullptr : document.if_object();
  return object != nullptr && object->contains("delays");
}

std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) {
    text.pop_back();
  }
  return text;
}

RecordedSentence recorded(const Instance& instance) {
  RecordedSentence sentence;
  sentence.source = without_line_end(*instance.source);
  sentence.target = instance.prediction.value_or("");
  sentence.delays = instance.delays;
  return sentence;
}

ReplayInput read_instances_log(const std::string& content, const std::string& name, double rate) {
  std::istringstream in(repair_json_lines(content));
  ReplayInput input;
  input.run.emplace().name = name;
  std::vector<std::string> lines;
  for (const Instance& instance : read_instances(in, name)) {
    if (!instance.source || !is_valid_utf8(*instance.source)) {
      throw std::runtime_error(name + ": instance " + std::to_string(instance.index) +
                               " has no text in 'source'; allowed: logs of text-to-text "
                               "translation");
    }
    input.run->sentences.push_back(recorded(instance));
    lines.push_back(input.run->sentences.back().source);
    input.transcript.sentences.push_back(input.run->sentences.back().source_words());
    if (instance.reference) {
      input.references.push_back(without_line_end(*instance.reference));
    }
  }
  if (input.references.size() != lines.size()) {
    input.references.clear();
  }
  std::vector<TimedText> texts = spoken_at(lines, rate);
  if (texts.empty()) {
    throw std::runtime_error(name + ": the log has no words");
  }
  std::vector<int> sentences = std::move(input.transcript.sentences);
  input.transcript = make_timed_transcript(std::move(texts), rate);
  input.transcript.sentences = std::move(sentences);
  return input;
}

ReplayInput read_stream(const std::string& content, const std::string& name,
                        const std::string& track) {
  ReadStreamLog log = read_stream_log(content, name, track);
  ReplayInput input;
  input.transcript = std::move(log.transcript);
  input.run = std::move(log.run);
  input.head = std::move(log.head);
  input.head->tracks = {std::move(log.track)};
  input.warnings = std::move(log.warnings);
  return input;
}

}  // namespace

std::optional<ReplayFormat> replay_format_by_name(std::string_view name) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const auto& known) { return known.first == name; });
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

ReplayFormat detect_format(std::string_view content) {
  const std::string_view line = first_line(content);
  const bool is_json = line.starts_with('{');
  if (is_json && stream_log::is_head(line)) {
    return ReplayFormat::kStream;
  }
  if (is_json && is_instance(line)) {
    return ReplayFormat::kInstances;
  }
  if (is_recognised(content)) {
    return ReplayFormat::kRecogniser;
  }
  if (is_json) {
    return ReplayFormat::kTimed;
  }
  const std::string_view begin = content.substr(std::min(content.find(line), content.size()));
  return subtitle_beginning(begin) == SubtitleBeginning::kYes ? ReplayFormat::kSubtitles
                                                              : ReplayFormat::kText;
}

ReplayInput read_replay_input(const std::filesystem::path& file, const ReplayReadOptions& options) {
  const std::string content = read_log_file(file);
  const std::string name = log_name(file);
  const ReplayFormat format = options.format.value_or(detect_format(content));
  ReplayInput input;
  switch (format) {
    case ReplayFormat::kStream:
      input = read_stream(content, name, options.track);
      break;
    case ReplayFormat::kInstances:
      input = read_instances_log(content, name, options.rate);
      break;
    case ReplayFormat::kTimed:
      input.transcript = parse_timed_words(content, name, options.rate);
      break;
    case ReplayFormat::kSubtitles:
      input.transcript = parse_subtitles(content, name, options.rate);
      break;
    case ReplayFormat::kRecogniser:
      input.transcript = parse_recognised(content, name, options.rate, input.warnings);
      break;
    case ReplayFormat::kText:
      input.transcript = parse_plain_words(content, name, options.rate);
      break;
  }
  input.format = format;
  input.name = name;
  return input;
}

}  // namespace surtitle
