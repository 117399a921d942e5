#include "daemon/recognisers/json_values.h"

#include <algorithm>
#include <utility>

#include "daemon/base/text.h"
#include "daemon/recognisers/foreign_lines.h"
#include "daemon/recognisers/json_in_text.h"
#include "daemon/recognisers/skipped_input.h"
#include "model/text/ascii.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr std::size_t kShown = 200;       // bytes of a line that is skipped
constexpr std::size_t kMaxBefore = 4096;  // bytes of an object that are read again

json::parse_options lenient() {
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  return options;
}

bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }

// White space, and what is between the items of an array.
bool is_separator(std::string_view line) {
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return is_white(c) || c == '[' || c == ']' || c == ','; });
}

// Returns whether an object of several lines may follow: "asr-1  | {".
bool is_prefix(std::string_view line) {
  return match_line_prefix(line) != Match::kNo || is_log_message(line);
}

// Times in prefixes change.
bool same_in_prefix(char a, char b) { return a == b || (is_digit(a) && is_digit(b)); }

int count_lines(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

JsonValues::JsonValues(std::string input, OnSkipped on_skipped)
    : input_(std::move(input)), on_skipped_(std::move(on_skipped)), parser_({}, lenient()) {}

std::optional<json::object> JsonValues::next(std::string_view& bytes) {
  while (again_at_ < again_.size() || !bytes.empty()) {
    const bool again = again_at_ < again_.size();
    const char c = again ? again_[again_at_++] : bytes.front();
    bytes.remove_prefix(again ? 0 : 1);
    if (read(c)) {
      return std::move(parser_.release().as_object());
    }
  }
  return std::nullopt;
}

std::optional<json::object> JsonValues::finish() {
  std::string_view none;
  while (true) {
    if (auto object = next(none)) {
      return object;
    }
    if (depth_ > 0) {
      skip_object("incomplete", where() + " is incomplete");
    } else if (!other_.empty() || !opening_.empty() || !before_.empty()) {
      end_line(line_);
    } else if (number_ == 0 && !replaced_.empty()) {
      other_ = std::exchange(replaced_, {});  // reported, as there was nothing else
      end_line(line_);
    } else {
      return std::nullopt;
    }
  }
}

// Reads the last bytes once more.
void JsonValues::read_again(std::string_view bytes) {
  const std::string_view last = std::string_view(again_).substr(0, again_at_);
  if (last.ends_with(bytes)) {
    again_at_ -= bytes.size();
  } else {
    again_ = std::string(bytes) + again_.substr(again_at_);
    again_at_ = 0;
  }
  line_ -= count_lines(bytes);
}

std::string JsonValues::where() const {
  return input_ + ":" + std::to_string(first_line_) + ": message " + std::to_string(number_);
}

// Returns true if the character completes the object.
bool JsonValues::read(char c) {
  line_ += c == '\n' ? 1 : 0;
  if (depth_ > 0) {
    return quoted_ ? read_quoted(c) : read_in_object(c);
  }
  return !ends_quote(c) && read_between(c);
}

// Returns whether the character ends the JSON string of the object before.
bool JsonValues::ends_quote(char c) { return std::exchange(quoted_, false) && c == '"'; }

// Reads a character of a JSON string. Other escapes than these are also valid inside of the object.
bool JsonValues::read_quoted(char c) {
  if (!escaped_ && c == '\\') {
    escaped_ = true;
    return false;
  }
  if (!escaped_ && (c == '"' || c == '\n')) {
    object_ += c;
    skip_object("incomplete", where() + " is incomplete");
    return false;
  }
  if (!std::exchange(escaped_, false) || c == '"' || c == '\\' || c == '/') {
    return read_in_object(c);
  }
  return c == 'u' ? read_in_object('\\') || read_in_object(c) : read_in_object(' ');
}

bool JsonValues::read_between(char c) {
  if (std::exchange(returned_, c == '\r') && c != '\n') {  // the line is drawn again
    replaced_ = is_separator(other_) ? replaced_ : other_;
    other_.clear();
    opening_.clear();
    before_.clear();
  }
  if (!opening_.empty()) {
    return read_opening(c);
  }
  if (c == '\n') {
    end_line(line_ - 1);
  } else if (c == '{' && before_.empty() && is_separator(other_)) {
    prefix_.clear();
    return begin({c});
  } else if (c == '{' && before_.empty() && (ends_prefix(other_.back()) || other_.back() == '"')) {
    opening_ = c;
  } else if (other_.size() < kShown) {
    other_ += c;
  }
  return false;
}

// Decides whether the brace after other text begins an object.
bool JsonValues::read_opening(char c) {
  if (c == ' ' || c == '\t' || c == '\r') {
    opening_ += c;
    return false;
  }
  const std::string opening = std::exchange(opening_, {});
  if (other_.ends_with('"')) {
    if (c == '\\') {
      prefix_.clear();
      begin(opening);
      quoted_ = true;
      return read_quoted(c);
    }
  } else if (c == '"' || c == '}' || (c == '\n' && is_prefix(other_))) {
    prefix_ = other_.size() < kShown ? other_ : std::string();
    return begin(opening + c);
  }
  other_ += opening;
  return read_between(c);
}

// The prefix of the first line is left out in each line.
bool JsonValues::read_prefix(char c) {
  if (same_in_prefix(prefix_[in_prefix_.size()], c)) {
    in_prefix_ += c;
    begins_line_ = in_prefix_.size() < prefix_.size();
    if (!begins_line_) {
      in_prefix_.clear();
    }
    return false;
  }
  begins_line_ = false;
  bool is_complete = false;
  for (const char held : std::exchange(in_prefix_, {}) + c) {
    is_complete = is_complete || (depth_ > 0 ? read_in_object(held) : read_between(held));
  }
  return is_complete;
}

bool JsonValues::read_in_object(char c) {
  if (begins_line_) {
    return read_prefix(c);
  }
  begins_line_ = c == '\n' && !prefix_.empty();
  object_ += c;
  if (object_.size() > kMaxLength) {
    skip_object("too long", where() + " is longer than " + std::to_string(kMaxLength) + " bytes");
    return false;
  }
  const bool was_in_text = repair_.in_text();
  repair_.add(c, repaired_);
  if (!was_in_text) {
    depth_ += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
  }
  if (!repair_.in_text() && !parse()) {
    return false;
  }
  if (depth_ == 0 && !was_in_text) {
    object_.clear();
    return true;
  }
  return false;
}

// Begins an object with these bytes. Returns true if they complete it.
bool JsonValues::begin(const std::string& bytes) {
  ++number_;
  first_line_ = line_;
  other_.clear();
  object_.clear();
  repaired_.clear();
  repair_ = {};
  parser_.reset();
  in_prefix_.clear();
  begins_line_ = false;
  quoted_ = false;
  escaped_ = false;
  bool is_complete = false;
  for (const char c : bytes) {
    is_complete = read_in_object(c);
  }
  return is_complete;
}

// Parses what is complete, so that an error is found at its place.
bool JsonValues::parse() {
  boost::system::error_code error;
  parser_.write(repaired_.data(), repaired_.size(), error);
  repaired_.clear();
  if (!error && depth_ == 0) {
    parser_.finish(error);
  }
  if (error) {
    skip_object("not JSON", where() + " is not valid JSON (" + error.message() + ")");
  }
  return !error;
}

// Skips the object, or the last line of it. What may be another object is read again.
void JsonValues::skip_object(const std::string& kind, const std::string& what) {
  depth_ = 0;
  begins_line_ = false;
  quoted_ = false;
  const std::string object = std::exchange(object_, {});
  const std::size_t last_line = object.rfind('\n');
  const std::size_t next = object.find("\n{");
  if (next != std::string::npos) {
    read_again(std::string_view(object).substr(next + 1));
  } else if (last_line != std::string::npos && last_line + 1 < object.size() &&
             object.size() <= kMaxBefore && kind == "not JSON") {
    before_ = object.substr(0, last_line + 1);
    other_ = object.substr(last_line + 1, kShown);
    return;  // end_line() reports the line
  } else {
    const bool ended = object.ends_with('\n');
    other_.clear();
    before_ = ended ? "" : "\n";  // the rest of the line is skipped with it
  }
  on_skipped_(kind, what);
}

// Ends a line that is not in an object.
void JsonValues::end_line(int number) {
  const std::string line = std::exchange(other_, {}) + std::exchange(opening_, {});
  const std::string before = std::exchange(before_, {});
  if (before == "\n") {
    return;  // the rest of an object
  }
  if (!before.empty()) {
    read_again(before);
    --number_;
  }
  if (is_separator(line) || is_prompt(line)) {
    return;
  }
  const std::string kind(is_log_message(line) ? SkippedInput::kMessage : "no object");
  on_skipped_(kind, input_ + ":" + std::to_string(number) + ": the line " +
                        in_quotes(line, kShown / 2) + " is not a JSON object");
}

}  // namespace surtitle
