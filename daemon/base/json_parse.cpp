#include "daemon/base/json_parse.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/system/system_error.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace surtitle {
namespace {

namespace json = boost::json;
using boost::system::error_code;
using Text = json::string_view;

constexpr std::size_t kEscape = 6;  // bytes of "\ud83d"

// Handler of basic_parser that builds a value.
class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  json::value release() { return stack_.release(); }

  bool on_document_begin(error_code& /*failure*/) {
    stack_.reset();
    return true;
  }
  bool on_document_end(error_code& /*failure*/) { return true; }
  bool on_object_begin(error_code& /*failure*/) { return true; }
  bool on_object_end(std::size_t count, error_code& /*failure*/) {
    stack_.push_object(count);
    return true;
  }
  bool on_array_begin(error_code& /*failure*/) { return true; }
  bool on_array_end(std::size_t count, error_code& /*failure*/) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(Text part, std::size_t /*size*/, error_code& /*failure*/) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(Text rest, std::size_t /*size*/, error_code& /*failure*/) {
    stack_.push_key(rest);
    return true;
  }
  bool on_string_part(Text part, std::size_t /*size*/, error_code& /*failure*/) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(Text rest, std::size_t /*size*/, error_code& /*failure*/) {
    stack_.push_string(rest);
    return true;
  }
  bool on_number_part(Text part, error_code& /*failure*/) {
    number_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t value, Text /*rest*/, error_code& /*failure*/) {
    number_.clear();
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, Text /*rest*/, error_code& /*failure*/) {
    number_.clear();
    stack_.push_uint64(value);
    return true;
  }
  // from_chars() does not change `value` if the number is out of range; it stays infinite or 0.
  bool on_double(double value, Text rest, error_code& /*failure*/) {
    number_.append(rest.data(), rest.size());
    std::from_chars(number_.data(), number_.data() + number_.size(), value);
    number_.clear();
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, error_code& /*failure*/) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(error_code& /*failure*/) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(Text /*part*/, error_code& /*failure*/) { return true; }
  bool on_comment(Text /*rest*/, error_code& /*failure*/) { return true; }

 private:
  json::value_stack stack_;
  std::string number_;  // the text of the number so far
};

// Returns the unit of an escape such as "\ud83d" at the front of `text`, or 0 if there is none.
unsigned escaped_unit(std::string_view text) {
  unsigned unit = 0;
  if (!text.starts_with("\\u") || text.size() < kEscape) {
    return 0;
  }
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + kEscape, unit, 16);
  return error == std::errc() && end == text.data() + kEscape ? unit : 0;
}

bool is_first_half(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_second_half(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Makes each escape of half a surrogate pair one of U+FFFD.
std::string with_whole_characters(std::string_view text) {
  std::string whole;
  while (!text.empty()) {
    const unsigned unit = escaped_unit(text);
    std::size_t size = unit != 0 ? kEscape : text.front() == '\\' ? 2 : 1;
    if (is_first_half(unit) && is_second_half(escaped_unit(text.substr(kEscape)))) {
      size = 2 * kEscape;
    }
    const bool is_half = size == kEscape && (is_first_half(unit) || is_second_half(unit));
    whole += is_half ? "\\ufffd" : text.substr(0, size);
    text.remove_prefix(std::min(size, text.size()));
  }
  return whole;
}

json::value parse_once(std::string_view text, const json::parse_options& options,
                       error_code& failure) {
  json::basic_parser<Builder> parser{options};
  const std::size_t taken = parser.write_some(/*more=*/false, text.data(), text.size(), failure);
  if (!failure && taken < text.size()) {
    failure = json::error::extra_data;
  }
  return failure ? json::value() : parser.handler().release();
}

json::value parse(std::string_view text, const json::parse_options& options, error_code& failure) {
  json::value value = parse_once(text, options, failure);
  if (failure && text.find("\\u") != std::string_view::npos) {
    failure.clear();
    value = parse_once(with_whole_characters(text), options, failure);
  }
  return value;
}

}  // namespace

json::value parse_json(std::string_view text, error_code& failure) {
  return parse(text, json::parse_options(), failure);
}

json::value parse_lenient_json(std::string_view text, error_code& failure) {
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  return parse(text, options, failure);
}

json::value parse_json(std::string_view text) {
  error_code failure;
  json::value value = parse_json(text, failure);
  if (failure) {
    throw boost::system::system_error(failure);
  }
  return value;
}

}  // namespace surtitle
