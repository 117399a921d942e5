#include "daemon/commands/journal.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

#include "daemon/base/json_writer.h"
#include "daemon/base/utc_time.h"
#include "daemon/commands/journal_check.h"
#include "daemon/journal/sqlite_store.h"

namespace surtitle {
namespace {

struct Options {
  std::string file = "auto";
  std::string stream;
  bool json = false;
};

std::string time_of(std::int64_t milliseconds) { return utc_time(calendar_time(milliseconds)); }

// "elsewhere": the stream continues on another replica.
std::string end_of(const JournalListing& listing) {
  return !listing.ended ? "open" : *listing.ended == 0 ? "elsewhere" : time_of(*listing.ended);
}

// Size of a stream's history.
struct Size {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
};

std::string to_json(const JournalListing& listing, const std::optional<Size>& size) {
  JsonWriter json;
  json.field("stream", listing.stream.name)
      .optional_field("channel", listing.stream.channel)
      .field("started", time_of(listing.stream.started));
  if (listing.ended) {
    json.field("ended", end_of(listing));
  }
  if (size) {
    json.field("rows", size->rows).field("bytes", size->bytes);
  }
  return json.finish();
}

void print(const JournalListing& listing, const std::optional<Size>& size) {
  constexpr int kName = 36;
  constexpr int kTime = 26;
  constexpr int kNumber = 10;
  const auto number = [&size](std::int64_t Size::*one) {
    return size ? std::to_string((*size).*one) : std::string("damaged");
  };
  std::cout << std::left << std::setw(kName) << listing.stream.name << std::setw(kTime)
            << time_of(listing.stream.started) << std::setw(kTime) << end_of(listing) << std::right
            << std::setw(kNumber) << number(&Size::rows) << std::setw(kNumber + 1)
            << number(&Size::bytes) << "  " << listing.stream.channel.value_or("-") << "\n";
}

// Lists all streams even if the rows of some are damaged; then throws, so that the exit code is 1.
void list(const Options& options) {
  JournalReader journal(journal_file(options.file));
  const std::vector<JournalListing> listings = journal.streams();
  if (!options.json && !listings.empty()) {
    std::cout << "stream                              started                   "
                 "ended                           rows      bytes  channel\n";
  }
  std::string damage;
  for (const JournalListing& listing : listings) {
    std::optional<Size> size(std::in_place);
    try {
      journal.each_row(listing.stream.name, [&size](std::int64_t, const JournalRow& row) {
        ++size->rows;
        size->bytes += std::ssize(row.input) + std::ssize(row.lines);
      });
    } catch (const std::runtime_error& failure) {
      damage = failure.what();
      size.reset();
    }
    if (options.json) {
      std::cout << to_json(listing, size) << "\n";
    } else {
      print(listing, size);
    }
  }
  if (!damage.empty()) {
    throw std::runtime_error(damage);
  }
}

// Prints the stream's log in the format of --stream-logs. Of a damaged file, prints the rows before
// the damage.
void export_stream(const Options& options) {
  JournalReader journal(journal_file(options.file));
  bool found = false;
  journal.each_row(options.stream, [&found](std::int64_t, const JournalRow& row) {
    found = true;
    std::cout << row.lines;
  });
  if (!found) {
    throw std::runtime_error("stream '" + options.stream +
                             "' is not in this journal; see: surtitle journal list");
  }
}

// Reports all faults that can be found. A part of the file that cannot be queried is one fault, and
// the check continues with the next part.
void check(const Options& options) {
  JournalReader journal(journal_file(options.file));
  int faults = 0;
  const auto report = [&](const std::string& fault) {
    std::cout << fault << "\n";
    ++faults;
  };
  const auto check_part = [&](const auto& part) {
    try {
      part();
    } catch (const std::runtime_error& damage) {
      report(damage.what());
    }
  };
  std::int64_t streams = 0;
  std::int64_t rows = 0;
  check_part([&] { std::ranges::for_each(journal.faults(), report); });
  check_part([&] { std::ranges::for_each(journal.lost_rows(), report); });
  check_part([&] {
    for (const JournalListing& listing : journal.streams()) {
      ++streams;
      for (const std::string& fault : faults_of(journal, listing, rows)) {
        report(listing.stream.name + ": " + fault);
      }
    }
  });
  if (faults > 0) {
    throw std::runtime_error(faults == 1 ? "1 fault was found"
                                         : std::to_string(faults) + " faults were found");
  }
  std::cout << "sound: " << streams << " streams, " << rows << " rows\n";
}

void vacuum(const Options& options) {
  const std::filesystem::path file = journal_file(options.file);
  std::uintmax_t before = 0;
  {
    JournalReader journal(file);
    before = std::filesystem::file_size(file);
    journal.vacuum();
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
    one->add_option("--journal-path,--journal", options->file,
                    "journal file, as --journal-path of surtitled; auto: the default path")
        ->capture_default_str();
    one->callback([options, work] { work(*options); });
    return one;
  };
  add("list", "list the streams, oldest first", list)
      ->add_flag("--json", options->json, "print one JSON object per line");
  add("export", "print the log of a stream, for surtitle replay", export_stream)
      ->add_option("stream", options->stream, "name of the stream, as list prints it")
      ->required();
  add("check", "check the file and every row in it; the exit code is 1 if there are faults", check);
  add("vacuum", "return the space of deleted streams to the disk; the daemon must not run", vacuum);
  command->footer(
      "list, export and check also work while the daemon runs. Example:\n"
      "  surtitle journal list\n"
      "  surtitle journal export s-0123... > talk.jsonl");
}

}  // namespace surtitle
