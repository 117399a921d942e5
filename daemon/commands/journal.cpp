#include "daemon/commands/journal.h"

#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "daemon/journal/sqlite_store.h"
#include "daemon/journal/story.h"
#include "daemon/json_writer.h"
#include "daemon/stream_log.h"

namespace surtitle {
namespace {

struct Options {
  std::string file = "auto";
  std::string stream;
  bool json = false;
};

std::string time_of(std::int64_t milliseconds) {
  return utc_time(std::chrono::system_clock::time_point(std::chrono::milliseconds(milliseconds)));
}

// A stream that went on on another replica has not ended, and is nobody's here.
std::string end_of(const JournalListing& listing) {
  return !listing.ended ? "open" : *listing.ended == 0 ? "elsewhere" : time_of(*listing.ended);
}

std::string to_json(const JournalListing& listing) {
  JsonWriter json;
  json.field("stream", listing.stream.name)
      .optional_field("channel", listing.stream.channel)
      .field("started", time_of(listing.stream.started));
  if (listing.ended) {
    json.field("ended", end_of(listing));
  }
  return json.field("rows", listing.rows).field("bytes", listing.bytes).take();
}

void print(const JournalListing& listing) {
  constexpr int kName = 36;
  constexpr int kTime = 26;
  constexpr int kNumber = 10;
  std::cout << std::left << std::setw(kName) << listing.stream.name << std::setw(kTime)
            << time_of(listing.stream.started) << std::setw(kTime) << end_of(listing) << std::right
            << std::setw(kNumber) << listing.rows << std::setw(kNumber + 1) << listing.bytes << "  "
            << listing.stream.channel.value_or("-") << "\n";
}

void list(const Options& options) {
  JournalReader journal(journal_file(options.file));
  const std::vector<JournalListing> listings = journal.streams();
  if (!options.json && !listings.empty()) {
    std::cout << "stream                              started                   "
                 "ended                           rows      bytes  channel\n";
  }
  for (const JournalListing& listing : listings) {
    if (options.json) {
      std::cout << to_json(listing) << "\n";
    } else {
      print(listing);
    }
  }
}

// The stream's log, as the daemon writes it with --stream-logs.
void export_stream(const Options& options) {
  JournalReader journal(journal_file(options.file));
  const std::vector<JournalRow> rows = journal.rows(options.stream);
  if (rows.empty()) {
    throw std::runtime_error("stream '" + options.stream +
                             "' is not in this journal; see: surtitle journal list");
  }
  for (const JournalRow& row : rows) {
    std::cout << row.lines;
  }
}

// Whether every row can be read and the numbers of what was said grow.
std::vector<std::string> faults_of(const std::vector<JournalRow>& rows) {
  std::vector<std::string> faults;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string where = "row " + std::to_string(i) + ": ";
    const auto input =
        rows[i].input.empty() ? StoryInput(Silence()) : parse_input(rows[i].input, /*number=*/0);
    if (const auto* error = std::get_if<std::string>(&input)) {
      faults.push_back(where + *error);
    }
    std::istringstream lines(rows[i].lines);
    for (std::string text; std::getline(lines, text);) {
      const auto line = stream_log::parse_line(text);
      if (const auto* error = std::get_if<std::string>(&line)) {
        faults.push_back(where + *error);
        continue;
      }
      const auto& known = std::get<std::optional<stream_log::Line>>(line);
      const auto* message = known ? std::get_if<protocol::ServerMessage>(&*known) : nullptr;
      const std::int64_t event = message == nullptr ? 0 : protocol::event_of(*message);
      if (event != 0 && event <= last) {
        faults.push_back(where + "event " + std::to_string(event) + " follows event " +
                         std::to_string(last));
      }
      last = std::max(last, event);
    }
  }
  return faults;
}

void check(const Options& options) {
  JournalReader journal(journal_file(options.file));
  int faults = 0;
  const auto tell = [&](const std::string& fault) {
    std::cout << fault << "\n";
    ++faults;
  };
  for (const std::string& fault : journal.faults()) {
    tell(fault);
  }
  int streams = 0;
  std::int64_t rows = 0;
  for (const JournalListing& listing : journal.streams()) {
    ++streams;
    rows += listing.rows;
    for (const std::string& fault : faults_of(journal.rows(listing.stream.name))) {
      tell(listing.stream.name + ": " + fault);
    }
  }
  if (faults > 0) {
    throw std::runtime_error(std::to_string(faults) + " faults were found");
  }
  std::cout << "sound: " << streams << " streams, " << rows << " rows\n";
}

void vacuum(const Options& options) {
  const std::filesystem::path file = journal_file(options.file);
  const auto before = std::filesystem::file_size(file);
  {
    const auto owned = open_sqlite_store(file, JournalSync::kNormal);  // no daemon has it
    JournalReader(file).vacuum();
  }
  std::cout << before << " bytes before, " << std::filesystem::file_size(file) << " now\n";
}

}  // namespace

void add_journal_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("journal", "List, export, check and shrink a daemon's journal");
  command->require_subcommand(1);
  auto options = std::make_shared<Options>();
  const auto add = [&](const char* name, const char* help, void (*work)(const Options&)) {
    auto* one = command->add_subcommand(name, help);
    one->add_option("--journal", options->file,
                    "the daemon's journal.path; auto: where it is by default")
        ->capture_default_str();
    one->callback([options, work] { work(*options); });
    return one;
  };
  add("list", "its streams, the oldest first", list)
      ->add_flag("--json", options->json, "one JSON object a line");
  add("export", "a stream's log, as surtitle replay reads it", export_stream)
      ->add_option("stream", options->stream, "name of the stream, as list has it")
      ->required();
  add("check", "whether the file and every row in it are sound; exit code 1 where not", check);
  add("vacuum", "give the room of forgotten streams back to the disk; the daemon must not run",
      vacuum);
  command->footer(
      "A running daemon's journal can be read. Example:\n"
      "  surtitle journal list\n"
      "  surtitle journal export s-0123... > talk.jsonl");
}

}  // namespace surtitle
