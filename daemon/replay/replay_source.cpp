#include "daemon/replay/replay_source.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "daemon/recognisers/json_repair.h"
#include "daemon/recognisers/subtitle_cues.h"
#include "daemon/replay/recognised_transcript.h"
#include "daemon/replay/stream_log_reader.h"
#include "metrics/instance_log.h"
#include "model/text/tokenizer.h"
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

ReplaySource read_instances_log(const std::string& content, const std::string& name, double rate) {
  std::istringstream in(repair_json_lines(content));
  ReplaySource source;
  source.run.emplace().name = name;
  std::vector<std::string> lines;
  for (const Instance& instance : read_instances(in, name)) {
    if (!instance.source || !is_valid_utf8(*instance.source)) {
      throw std::runtime_error(name + ": instance " + std::to_string(instance.index) +
                               " has no text in 'source'; allowed: logs of text-to-text "
                               "translation");
    }
    source.run->sentences.push_back(recorded(instance));
    lines.push_back(source.run->sentences.back().source);
    source.talk.sentences.push_back(source.run->sentences.back().source_words());
    if (instance.reference) {
      source.references.push_back(without_line_end(*instance.reference));
    }
  }
  if (source.references.size() != lines.size()) {
    source.references.clear();
  }
  std::vector<TimedText> texts = spoken_at(lines, rate);
  if (texts.empty()) {
    throw std::runtime_error(name + ": the log has no words");
  }
  std::vector<int> sentences = std::move(source.talk.sentences);
  source.talk = make_timed_transcript(std::move(texts), rate);
  source.talk.sentences = std::move(sentences);
  return source;
}

ReplaySource read_stream(const std::string& content, const std::string& name,
                         const std::string& track) {
  ReadStreamLog log = read_stream_log(content, name, track);
  ReplaySource source;
  source.talk = std::move(log.talk);
  source.run = std::move(log.run);
  source.head = std::move(log.head);
  source.head->tracks = {std::move(log.track)};
  source.warnings = std::move(log.warnings);
  return source;
}

}  // namespace

std::optional<ReplayFormat> replay_format_by_name(std::string_view name) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const auto& known) { return known.first == name; });
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

ReplayFormat recognise(std::string_view content) {
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

ReplaySource read_replay_source(const std::filesystem::path& file, const ReplayReading& reading) {
  const std::string content = read_log_file(file);
  const std::string name = log_name(file);
  const ReplayFormat format = reading.format.value_or(recognise(content));
  ReplaySource source;
  switch (format) {
    case ReplayFormat::kStream:
      source = read_stream(content, name, reading.track);
      break;
    case ReplayFormat::kInstances:
      source = read_instances_log(content, name, reading.rate);
      break;
    case ReplayFormat::kTimed:
      source.talk = parse_timed_words(content, name, reading.rate);
      break;
    case ReplayFormat::kSubtitles:
      source.talk = parse_subtitles(content, name, reading.rate);
      break;
    case ReplayFormat::kRecogniser:
      source.talk = parse_recognised(content, name, reading.rate, source.warnings);
      break;
    case ReplayFormat::kText:
      source.talk = parse_plain_words(content, name, reading.rate);
      break;
  }
  source.format = format;
  source.name = name;
  return source;
}

}  // namespace surtitle
