// Reads a sequence of JSON objects from bytes that arrive in pieces of any size.
//
// An object may have several lines; between objects is white space. The reader accepts deviations
// that recognisers produce. NUL bytes between objects are padding. A control character in a text
// becomes a space. Invalid UTF-8 is left unchanged. The words nan and inf, as C++ prints them,
// become null.
//
// Thread-safety: none; one owner.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/stream_parser.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

class JsonValues {
 public:
  static constexpr std::size_t kMaxLength = std::size_t{1} << 20U;  // bytes of an object

  // `input`: name of the input in errors. `farewell`: a text between objects that is not JSON and
  // is ignored; empty: none.
  explicit JsonValues(std::string input, std::string farewell = {});

  // Returns the next object that `bytes` completes, or nullopt if they complete none. Removes the
  // bytes that it has read from `bytes`. Throws std::runtime_error, "INPUT:LINE: message N ...", if
  // the bytes are not a JSON object; the bytes up to the error are then removed.
  std::optional<boost::json::object> next(std::string_view& bytes);

  // Ends the input. Throws std::runtime_error in the middle of an object.
  void finish();

  // Returns "INPUT:LINE: message N" for the last object.
  std::string where() const;
  // Returns the number of lines of the last object, complete or not.
  int lines() const noexcept { return line_ - first_line_ + 1; }

 private:
  bool on_character(char c);
  bool on_character_between(char c);
  void on_character_in_text(char c);
  void begin();
  void end_scalar();
  bool close();
  void write();
  boost::json::object release();
  [[noreturn]] void fail(const std::string& what);

  const std::string input_;
  const std::string farewell_;
  boost::json::stream_parser parser_;
  std::string clean_;   // cleaned bytes that are not yet parsed
  std::string scalar_;  // incomplete number or word
  std::size_t size_ = 0;
  int depth_ = 0;  // 0: between objects
  bool in_text_ = false;
  bool escaped_ = false;
  std::size_t farewell_at_ = 0;  // bytes of farewell_ that were read
  int line_ = 1;
  int first_line_ = 1;  // of the last object
  int number_ = 0;      // of the last object, from 1
};

}  // namespace surtitle
