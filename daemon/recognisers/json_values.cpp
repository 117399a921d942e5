#include "daemon/recognisers/json_values.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "daemon/base/text.h"

namespace surtitle {
namespace {

namespace json = boost::json;

json::parse_options lenient() {
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  return options;
}

bool is_of_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

bool is_no_number(std::string_view scalar) {
  if (scalar.starts_with('-')) {
    scalar.remove_prefix(1);
  }
  return scalar == "nan" || scalar == "inf";
}

}  // namespace

JsonValues::JsonValues(std::string input, std::string farewell)
    : input_(std::move(input)), farewell_(std::move(farewell)), parser_({}, lenient()) {}

std::optional<json::object> JsonValues::next(std::string_view& bytes) {
  while (!bytes.empty()) {
    const char c = bytes.front();
    bytes.remove_prefix(1);
    if (c == '\n') {
      ++line_;
    }
    if (depth_ == 0 ? on_character_between(c) : on_character(c)) {
      return release();
    }
  }
  write();
  return std::nullopt;
}

void JsonValues::finish() {
  if (depth_ > 0) {
    fail("is incomplete");
  }
  farewell_at_ = 0;
}

std::string JsonValues::where() const {
  return input_ + ":" + std::to_string(first_line_) + ": message " + std::to_string(number_);
}

// Returns true if the character completes the object.
bool JsonValues::on_character(char c) {
  if (++size_ > kMaxLength) {
    fail("is longer than " + std::to_string(kMaxLength) + " bytes");
  }
  if (in_text_) {
    on_character_in_text(c);
    return false;
  }
  if (is_of_scalar(c)) {
    scalar_ += c;
    return false;
  }
  end_scalar();
  clean_ += c == '\0' ? ' ' : c;
  in_text_ = c == '"';
  depth_ += c == '{' || c == '[' ? 1 : 0;
  return (c == '}' || c == ']') && close();
}

bool JsonValues::on_character_between(char c) {
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0') {
    return false;
  }
  if (farewell_at_ < farewell_.size() && c == farewell_[farewell_at_]) {
    farewell_at_ = (farewell_at_ + 1) % farewell_.size();
    return false;
  }
  begin();
  if (c != '{') {
    fail("begins with " + in_quotes(std::string_view(&c, c < 0 ? 0 : 1)) + ", not with {");
  }
  clean_ = c;
  depth_ = 1;
  return false;
}

void JsonValues::on_character_in_text(char c) {
  const bool is_control = static_cast<unsigned char>(c) < 0x20;
  clean_ += is_control ? ' ' : c;
  if (escaped_) {
    escaped_ = false;
  } else {
    escaped_ = c == '\\';
    in_text_ = c != '"';
  }
}

void JsonValues::begin() {
  ++number_;
  first_line_ = line_;
  size_ = 1;
  in_text_ = false;
  escaped_ = false;
  farewell_at_ = 0;
  clean_.clear();
  scalar_.clear();
  parser_.reset();
}

void JsonValues::end_scalar() {
  if (!scalar_.empty()) {
    clean_ += is_no_number(scalar_) ? "null" : scalar_;
    scalar_.clear();
  }
}

bool JsonValues::close() {
  --depth_;
  if (depth_ > 0) {
    return false;
  }
  write();
  return true;
}

void JsonValues::write() {
  boost::system::error_code error;
  parser_.write(clean_, error);
  clean_.clear();
  if (error) {
    fail("is not valid JSON (" + error.message() + ")");
  }
}

json::object JsonValues::release() {
  boost::system::error_code error;
  parser_.finish(error);
  if (error) {
    fail("is not valid JSON (" + error.message() + ")");
  }
  return std::move(parser_.release().as_object());
}

void JsonValues::fail(const std::string& what) {
  depth_ = 0;
  throw std::runtime_error(where() + " " + what + "; allowed: JSON objects");
}

}  // namespace surtitle
