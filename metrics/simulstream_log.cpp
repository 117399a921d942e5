#include "metrics/simulstream_log.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <filesystem>
#include <istream>
#include <map>
#include <stdexcept>

#include "metrics/json_number.h"
#include "metrics/text.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr std::string_view kSpace = "\u2581";
constexpr double kMs = 1000;  // of a second

using Tokens = std::vector<std::string>;

struct Line {
  std::string recording;
  double processed = 0;    // seconds
  double computation = 0;  // seconds
  Tokens generated;
  Tokens deleted;
  std::size_t number = 0;  // in the file
};

// Reports a problem of one line; the reader adds file and line.
[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

const json::value& field(const json::object& line, std::string_view key) {
  const json::value* value = line.if_contains(key);
  if (value == nullptr) {
    refuse("field '" + std::string(key) + "' is missing");
  }
  return *value;
}

double seconds(const json::object& line, std::string_view key) {
  const json::value& value = field(line, key);
  const double number = value.is_number() ? value.to_number<double>() : -1;
  if (!(number >= 0) || !std::isfinite(number)) {
    refuse(std::string(key) + " must be a number of seconds, 0 or more");
  }
  return number;
}

Tokens tokens(const json::object& line, std::string_view key) {
  const json::value& value = field(line, key);
  Tokens all;
  if (!value.is_array()) {
    refuse(std::string(key) + " must be an array of tokens");
  }
  for (const json::value& token : value.get_array()) {
    if (!token.is_string()) {
      refuse(std::string(key) + " must be an array of tokens");
    }
    all.emplace_back(token.get_string());
  }
  return all;
}

class LogLines {
 public:
  void add(const std::string& text, std::size_t number) {
    json::error_code error;
    const json::value value = json::parse(text, error);
    if (error || !value.is_object()) {
      refuse(error ? "not JSON: " + error.message() : "a line must be a JSON object");
    }
    const json::object& line = value.get_object();
    const std::string id = json::serialize(field(line, "id"));
    if (const json::value* metadata = line.if_contains("metadata")) {
      const json::value* name =
          metadata->is_object() ? metadata->get_object().if_contains("wav_name") : nullptr;
      if (name == nullptr || !name->is_string()) {
        refuse("metadata must have the field 'wav_name'");
      }
      names_[id] = std::filesystem::path(std::string(name->get_string())).stem().string();
      return;
    }
    const auto name = names_.find(id);
    if (name == names_.end()) {
      refuse("no line before names the recording of id " + id);
    }
    lines_.push_back({name->second, seconds(line, "total_audio_processed"),
                      seconds(line, "computation_time"), tokens(line, "generated_tokens"),
                      tokens(line, "deleted_tokens"), number});
  }

  const std::vector<Line>& lines() const { return lines_; }

 private:
  std::map<std::string, std::string> names_;  // of the recordings, by id
  std::vector<Line> lines_;
};

std::string text_of(const Tokens& tokens, TokenJoin join) {
  std::string text;
  for (const std::string& token : tokens) {
    text += (join == TokenJoin::kWords && !text.empty() ? " " : "") + token;
  }
  for (std::size_t at = 0; join == TokenJoin::kPieces && (at = text.find(kSpace)) != text.npos;) {
    text.replace(at, kSpace.size(), " ");
  }
  return text;
}

// A recording that grows line by line.
class Recording {
 public:
  Recording(std::string name, TokenJoin join) : join_(join) {
    result_.translation.recording = std::move(name);
  }

  void add(const Line& line) {
    const std::size_t deleted = line.deleted.size();
    if (deleted > tokens_.size() ||
        !std::equal(line.deleted.begin(), line.deleted.end(),
                    tokens_.end() - static_cast<std::ptrdiff_t>(deleted))) {
      refuse("deleted_tokens are not the last tokens before the line");
    }
    if (deleted > 0) {
      tokens_.resize(tokens_.size() - deleted);
      update(line);
    }
    tokens_.insert(tokens_.end(), line.generated.begin(), line.generated.end());
    update(line);
    result_.source_length = std::max(result_.source_length, line.processed * kMs);
  }

  const std::string& name() const { return result_.translation.recording; }
  const SimulStreamRecording& result() const { return result_; }

 private:
  // Words that are new have the times of the line, and so has the last word before them or before
  // deleted ones if it changed.
  void update(const Line& line) {
    std::string text = text_of(tokens_, join_);
    std::vector<std::string> words;
    for (const std::string_view word : python_split(text)) {
      words.emplace_back(word);
    }
    auto& [recording, whole, delays, elapsed] = result_.translation;
    const std::size_t kept = std::min(words.size(), words_.size());
    const bool changed = kept > 0 && words[kept - 1] != words_[kept - 1];
    const double delay = line.processed * kMs;
    const double really = (line.processed + line.computation) * kMs;
    delays.resize(changed ? kept - 1 : kept);
    elapsed.resize(delays.size());
    delays.resize(words.size(), delay);
    elapsed.resize(words.size(), really);
    whole = std::string(python_strip(text));
    words_ = std::move(words);
  }

  TokenJoin join_;
  Tokens tokens_;
  std::vector<std::string> words_;
  SimulStreamRecording result_;
};

TokenJoin join_of(const std::vector<Line>& lines) {
  const auto is_piece = [](const std::string& token) { return token.find(kSpace) != token.npos; };
  const bool has_pieces = std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
    return std::any_of(line.generated.begin(), line.generated.end(), is_piece);
  });
  return has_pieces ? TokenJoin::kPieces : TokenJoin::kWords;
}

std::string words_json(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    text += (text.empty() ? "" : ", ") + json::serialize(json::string(word));
  }
  return "[" + text + "]";
}

}  // namespace

bool is_simulstream_line(std::string_view line) {
  json::error_code error;
  const json::value value = json::parse(line, error);
  const json::object* object = error ? nullptr : value.if_object();
  return object != nullptr && object->contains("id") &&
         (object->contains("metadata") || object->contains("generated_tokens"));
}

std::vector<SimulStreamRecording> read_simulstream_log(std::istream& in, const std::string& name,
                                                       std::optional<TokenJoin> join) {
  LogLines log;
  std::vector<Recording> recordings;
  std::size_t number = 0;
  try {
    for (std::string text; std::getline(in, text);) {
      ++number;
      if (text.find_first_not_of(" \t\r") != std::string::npos) {
        log.add(text, number);
      }
    }
    const TokenJoin chosen = join.value_or(join_of(log.lines()));
    for (const Line& line : log.lines()) {
      number = line.number;
      auto recording = std::find_if(recordings.begin(), recordings.end(), [&](const auto& known) {
        return known.name() == line.recording;
      });
      if (recording == recordings.end()) {
        recording = recordings.emplace(recording, line.recording, chosen);
      }
      recording->add(line);
    }
  } catch (const std::invalid_argument& problem) {
    throw std::runtime_error(name + ":" + std::to_string(number) + ": " + problem.what());
  }
  std::vector<SimulStreamRecording> results;
  for (const Recording& recording : recordings) {
    results.push_back(recording.result());
  }
  return results;
}

std::string to_simulstream_log(std::span<const RecordedTranslation> translations) {
  std::string log;
  for (std::size_t id = 0; id < translations.size(); ++id) {
    const RecordedTranslation& translation = translations[id];
    const std::string begin = "{\"id\": " + std::to_string(id) + ", ";
    log +=
        begin + "\"metadata\": {\"wav_name\": " + json::serialize(translation.recording) + "}}\n";
    const std::vector<std::string_view> words = python_split(translation.text);
    const auto add = [&](double delay, double elapsed, std::span<const std::string_view> some) {
      log += begin + "\"total_audio_processed\": " + json_number(delay / kMs) +
             ", \"computation_time\": " + json_number((elapsed - delay) / kMs) +
             ", \"generated_tokens\": " + words_json(some) + ", \"deleted_tokens\": []}\n";
    };
    if (words.empty()) {
      add(0, 0, {});
    }
    for (std::size_t first = 0, end = 0; first < words.size(); first = end) {
      const double delay = translation.delays[first];
      const double elapsed = translation.elapsed[first];
      while (end < words.size() && translation.delays[end] == delay &&
             translation.elapsed[end] == elapsed) {
        ++end;
      }
      add(delay, elapsed, std::span(words).subspan(first, end - first));
    }
  }
  return log;
}

}  // namespace surtitle
