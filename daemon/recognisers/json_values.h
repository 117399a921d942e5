// Reads one JSON object after another from bytes that come in pieces of any size: lines of JSON, or
// objects over several lines with anything between them that is white space.
//
// What recognisers print is read leniently: NUL bytes between objects are padding, a control
// character in a text is a space, bytes that are not UTF-8 stay as they are, and the words that C++
// prints for numbers that are none (nan, inf) are null.
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

  // `input` is what errors call the place that the bytes come from. `farewell`: a text between
  // objects that is no JSON and to be ignored.
  explicit JsonValues(std::string input, std::string farewell = {});

  // The next object that `bytes` completes, or nothing; `bytes` becomes what is behind it. Throws
  // std::runtime_error, "INPUT:LINE: message N ...", for what is no object; `bytes` is then behind
  // what is wrong.
  std::optional<boost::json::object> next(std::string_view& bytes);

  // The input is over. Throws in the middle of an object.
  void finish();

  // "INPUT:LINE: message N" for the object begun last.
  std::string where() const;
  // Lines that the object begun last has.
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
  std::string clean_;   // not yet parsed
  std::string scalar_;  // number or word, incomplete
  std::size_t size_ = 0;
  int depth_ = 0;  // 0: between objects
  bool in_text_ = false;
  bool escaped_ = false;
  std::size_t farewell_at_ = 0;  // bytes of it that came
  int line_ = 1;
  int first_line_ = 1;
  int number_ = 0;  // of the object begun last, from 1
};

}  // namespace surtitle
