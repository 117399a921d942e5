#include "daemon/commands/journal_check.h"

#include <algorithm>
#include <exception>
#include <sstream>

#include "daemon/journal/journal_codec.h"
#include "daemon/protocol/stream_log_format.h"

namespace surtitle {
namespace {

std::string row_name(std::int64_t number) { return "row " + std::to_string(number); }

// Checks the history of one stream, row by row.
class HistoryCheck {
 public:
  void check_row(std::int64_t number, const JournalRow& row) {
    check_number(number);
    where_ = row_name(number) + ": ";
    check_input(row.input);
    check_lines(number, row.lines);
    ++rows_;
    next_ = number + 1;
  }

  void check_settings(const std::string& settings) {
    const auto parsed = parse_settings(settings);
    if (const auto* error = std::get_if<std::string>(&parsed)) {
      faults_.push_back(*error);
    }
  }

  void check_end(bool ended) {
    if (rows_ == 0) {
      faults_.emplace_back("it has no rows");
    } else if (ended && !ends_) {
      faults_.push_back(row_name(next_ - 1) +
                        ": the stream has ended, but not with this row: rows after it are missing");
    }
  }

  void report(std::string fault) { faults_.push_back(std::move(fault)); }

  std::int64_t rows() const noexcept { return rows_; }
  std::vector<std::string> faults() && { return std::move(faults_); }

 private:
  void check_number(std::int64_t number) {
    if (number == next_ + 1) {
      faults_.push_back(row_name(next_) + " is missing");
    } else if (number != next_) {
      faults_.push_back("rows " + std::to_string(next_) + " to " + std::to_string(number - 1) +
                        " are missing");
    }
  }

  void check_input(const std::string& input) {
    if (input.empty()) {
      return;  // the row has lines but no input
    }
    const auto parsed = parse_input(input, /*number=*/0);
    if (const auto* error = std::get_if<std::string>(&parsed)) {
      faults_.push_back(where_ + *error);
    }
  }

  void check_lines(std::int64_t number, const std::string& text) {
    ends_ = false;
    if (!text.empty() && text.back() != '\n') {
      faults_.push_back(where_ + "its last line is cut off");
      return;
    }
    std::istringstream lines(text);
    bool first = number == 0;
    for (std::string line; std::getline(lines, line); first = false) {
      check_line(line, first);
    }
    if (first) {
      faults_.push_back(where_ + "it has no lines");
    }
  }

  void check_line(const std::string& text, bool first) {
    const auto parsed = stream_log::parse_line(text);
    if (const auto* error = std::get_if<std::string>(&parsed)) {
      faults_.push_back(where_ + *error);
      return;
    }
    const auto& line = std::get<std::optional<stream_log::Line>>(parsed);
    if (first && !(line && std::holds_alternative<stream_log::Head>(*line))) {
      faults_.push_back(where_ + "a log begins with a line of type stream_log");
    }
    ends_ = line && std::holds_alternative<stream_log::End>(*line);
    const auto* message = line ? std::get_if<protocol::ServerMessage>(&*line) : nullptr;
    const std::int64_t event = message == nullptr ? 0 : protocol::event_of(*message);
    if (event != 0 && event <= event_) {
      faults_.push_back(where_ + "event " + std::to_string(event) + " follows event " +
                        std::to_string(event_));
    }
    event_ = std::max(event_, event);
  }

  std::vector<std::string> faults_;
  std::string where_;
  std::int64_t rows_ = 0;
  std::int64_t next_ = 0;   // row that must follow
  std::int64_t event_ = 0;  // the last one
  bool ends_ = false;       // the last line is the end of a log
};

}  // namespace

std::vector<std::string> faults_of(JournalReader& journal, const JournalListing& listing,
                                   std::int64_t& rows) {
  HistoryCheck check;
  check.check_settings(listing.stream.settings);
  try {
    journal.each_row(listing.stream.name, [&check](std::int64_t number, const JournalRow& row) {
      check.check_row(number, row);
    });
    check.check_end(listing.ended.value_or(0) > 0);
  } catch (const std::exception& failure) {
    check.report("its rows cannot be read: " + std::string(failure.what()));
  }
  rows += check.rows();
  return std::move(check).faults();
}

}  // namespace surtitle
