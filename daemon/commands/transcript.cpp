#include "daemon/commands/transcript.h"

#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_parse.h"
#include "daemon/base/text.h"
#include "daemon/channels/transcript_formats.h"
#include "daemon/client/http_get.h"
#include "daemon/commands/stream_options.h"
#include "daemon/protocol/protocol.h"
#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

namespace json = boost::json;

struct Options {
  StreamOptions daemon;
  std::string channel;
  std::string stream;  // empty: the last one
  bool all = false;
  std::string format;  // empty: that of the file's name, else txt
  std::string track;
  bool bilingual = false;
  std::string output;  // empty: standard output
  bool force = false;
  bool list = false;
  bool json = false;
};

struct Row {
  std::string stream;
  std::string begin;
  double length = 0;  // seconds
  std::int64_t words = 0;
  std::string languages;
  std::string kept;
  std::string title;  // empty: none
};

std::string channel_path(const Options& options) { return "/v1/channels/" + options.channel; }

// "de > en fr"
std::string languages(JsonFields& stream) {
  std::string text = stream.optional_text("source").value_or("?") + " >";
  for (const json::object* track : stream.objects("tracks")) {
    text.append(1, ' ').append(JsonFields(*track, "track").text("target"));
  }
  return text;
}

std::vector<Row> rows_of(const std::string& list) {
  const json::value document = parse_json(list);
  if (!document.is_object()) {
    throw std::runtime_error("the daemon's list of transcripts is not an object");
  }
  JsonFields fields(document.get_object(), "list of transcripts");
  std::vector<Row> rows;
  for (const json::object* one : fields.objects("streams")) {
    JsonFields stream(*one, "stream");
    rows.push_back({stream.text("stream"), stream.text("begin"), stream.number("length"),
                    stream.whole_number("source_words"), languages(stream),
                    stream.flag("live") ? "live" : stream.optional_text("kept_until").value_or("-"),
                    stream.optional_text("title").value_or("")});
    fields.adopt_error(stream);
  }
  if (fields.error()) {
    throw std::runtime_error("the daemon's list of transcripts cannot be read: " + *fields.error());
  }
  return rows;
}

// "1:30:05"
std::string duration_text(double seconds) {
  const long long whole = std::llround(seconds);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                whole % 60);
  return text.data();
}

void print(const std::vector<Row>& rows) {
  constexpr int kName = 36;
  constexpr int kTime = 26;
  constexpr int kNumber = 10;
  std::cout << std::left << std::setw(kName) << "stream" << std::setw(kTime) << "begin"
            << std::right << std::setw(kNumber) << "length" << std::setw(kNumber) << "words"
            << "  " << std::left << std::setw(kTime) << "kept until"
            << "languages, title\n";
  for (const Row& row : rows) {
    std::cout << std::left << std::setw(kName) << row.stream << std::setw(kTime) << row.begin
              << std::right << std::setw(kNumber) << duration_text(row.length) << std::setw(kNumber)
              << row.words << "  " << std::left << std::setw(kTime) << row.kept << row.languages
              << (row.title.empty() ? "" : ", ") << row.title << "\n";
  }
}

// Returns the extension of the format: that of --format, else of the name of the file, else txt.
std::string format_of(const Options& options) {
  if (!options.format.empty()) {
    return options.format;
  }
  std::string extension = std::filesystem::path(options.output).extension().string();
  extension.erase(0, extension.starts_with('.') ? 1 : 0);
  if (extension.empty()) {
    return "txt";
  }
  if (!transcript_format_by_extension(extension)) {
    throw CLI::ValidationError("--output", "no format has the extension ." + extension +
                                               "; use .vtt, .srt, .txt, .json or .html, or "
                                               "choose one with --format");
  }
  return extension;
}

std::string target_of(const Options& options) {
  const std::string format = format_of(options);
  std::string target = channel_path(options) +
                       (options.stream.empty() ? "/transcript." + format
                                               : "/transcripts/" + options.stream + "." + format);
  char separator = '?';
  const auto add = [&](const std::string& option) {
    target += separator + option;
    separator = '&';
  };
  if (options.all) {
    add("all=1");
  }
  if (!options.track.empty()) {
    add("track=" + options.track);
  }
  if (options.bilingual) {
    add("bilingual=1");
  }
  return target;
}

void require_new(const Options& options) {
  if (!options.output.empty() && !options.force && std::filesystem::exists(options.output)) {
    throw std::runtime_error(options.output +
                             " exists already; choose another name, or replace it with --force");
  }
}

void write(const std::string& text, const std::string& file) {
  if (file.empty()) {
    std::cout << text << std::flush;
    if (!std::cout) {
      throw std::runtime_error("standard output cannot be written");
    }
  } else if (!(std::ofstream(file, std::ios::binary) << text).flush()) {
    throw std::runtime_error(file + ": cannot be written");
  }
}

void run(const Options& options) {
  const WebSocketUrl url = options.daemon.daemon_url();
  if (options.list || options.json) {
    const std::string list = http_get(url, channel_path(options) + "/transcripts");
    if (options.json) {
      std::cout << list;
    } else {
      print(rows_of(list));
    }
    return;
  }
  require_new(options);
  write(http_get(url, target_of(options)), options.output);
}

CLI::Validator name(bool (*good)(std::string_view), const std::string& rule) {
  return {[good, rule](const std::string& text) {
            return good(text) ? std::string() : "must be " + rule + ", not " + in_quotes(text);
          },
          ""};
}

// Names of streams and tracks are parts of a path.
bool is_part_of_path(std::string_view text) {
  return !text.empty() && text.find_first_of("/?#&% \t\r\n") == std::string_view::npos;
}

}  // namespace

void add_transcript_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("transcript", "Download the transcripts of a channel from a daemon");
  auto options = std::make_shared<Options>();
  command->add_option("channel", options->channel, "channel of the transcript")
      ->required()
      ->check(name([](std::string_view text) { return protocol::is_channel_name(text); },
                   "1 to 64 characters of A-Z a-z 0-9 . _ -"));
  add_daemon_options(*command, options->daemon);
  command
      ->add_option("--stream", options->stream,
                   "name of the stream, as --list prints it (default: the last one)")
      ->check(name(is_part_of_path, "the name of a stream, as --list prints it"));
  command
      ->add_flag("--all", options->all, "all streams that are kept, in one file whose times go on")
      ->excludes("--stream");
  command
      ->add_option("--format", options->format,
                   "format of the file (default: the extension of --output, else txt)")
      ->check(one_of({"vtt", "srt", "txt", "json", "html"}))
      ->option_text("vtt|srt|txt|json|html");
  command->add_option("--track", options->track, "name of the track (default: the first)")
      ->check(name(is_part_of_path, "the name of a track"));
  command->add_flag("--bilingual", options->bilingual, "source and translation");
  command->add_option("--output", options->output, "file to write (default: standard output)")
      ->option_text("FILE");
  command->add_flag("--force", options->force, "replace the file if it exists");
  command->add_flag("--list", options->list, "list the streams of the channel, the earliest first");
  command->add_flag("--json", options->json, "list them as the daemon does, as one JSON object");
  command->footer(
      "If the daemon requires tokens, transcript needs the role view. A stream is kept after its\n"
      "end for the daemon's journal.retention. Examples:\n"
      "  surtitle transcript main --list\n"
      "  surtitle transcript main --all --output evening.html --bilingual\n"
      "  surtitle transcript main --stream s-0123... --format srt > talk.srt");
  command->callback([options] { run(*options); });
}

}  // namespace surtitle
