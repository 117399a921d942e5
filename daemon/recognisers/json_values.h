// Reads a sequence of JSON objects from bytes that arrive in pieces of any size.
//
// An object may have several lines, and may be inside a JSON string: "{\"text\": \"eins\"}". White
// space separates objects; they may also be the items of an array. A prefix such as "data: " and
// "[10:00:01] " is left out, before an object and in each of its further lines. base/json_repair.h
// lists the deviations that are accepted. All other input is skipped. Examples are a line between
// objects that begins no object, a line inside an object that is not JSON, and an object that never
// ends.
//
// Thread-safety: none; one owner.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/stream_parser.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/json_repair.h"

namespace surtitle {

class JsonValues {
 public:
  static constexpr std::size_t kMaxLength = std::size_t{1} << 20U;  // bytes of an object

  // Receives what is skipped; see SkippedInput::skip(). It may throw.
  using OnSkipped = std::function<void(const std::string& kind, const std::string& what)>;

  // `input`: name of the input for `on_skipped`.
  JsonValues(std::string input, OnSkipped on_skipped);

  // Returns the next object that `bytes` complete, or nullopt if they complete none. Removes the
  // bytes that it has read from `bytes`.
  std::optional<boost::json::object> next(std::string_view& bytes);

  // Ends the input. An incomplete object is skipped. Returns the next object in what remains, or
  // nullopt after the last one.
  std::optional<boost::json::object> finish();

  // Returns "INPUT:LINE: message N" for the last object.
  std::string where() const;
  // Returns the number of lines of the last object, complete or not.
  int lines() const noexcept { return line_ - first_line_ + 1; }

 private:
  bool read(char c);
  bool read_between(char c);
  bool read_opening(char c);
  bool read_quoted(char c);
  bool ends_quote(char c);
  bool read_in_object(char c);
  bool read_prefix(char c);
  bool begin(const std::string& bytes);
  bool parse();
  void skip_object(const std::string& kind, const std::string& what);
  void end_line(int number);
  void read_again(std::string_view bytes);

  const std::string input_;
  const OnSkipped on_skipped_;
  boost::json::stream_parser parser_;
  JsonRepair repair_;
  std::string repaired_;  // not yet parsed
  std::string object_;    // the bytes of the current object
  std::string again_;     // bytes to read once more, before further ones
  std::size_t again_at_ = 0;
  std::string other_;         // the current line, if it is not in an object; its first bytes
  std::string replaced_;      // the last line that was drawn again
  std::string opening_;       // after other_: a brace that may begin an object, and blanks
  std::string prefix_;        // of the object's first line
  std::string in_prefix_;     // the beginning of a line of the object, which may be a prefix
  bool begins_line_ = false;  // of the object, after its first one
  bool quoted_ = false;       // the object is inside a JSON string
  bool escaped_ = false;      // the last character was a backslash of this string
  std::string before_;        // an object up to a line that is skipped, to which other_ belongs
  bool returned_ = false;     // the last character between objects was a carriage return
  int depth_ = 0;             // 0: between objects
  int line_ = 1;
  int first_line_ = 1;  // of the last object
  int number_ = 0;      // of the last object, from 1
};

}  // namespace surtitle
