// Reads the fields of one JSON object.
//
// The first field that is wrong is kept as the error; from then on every reader gives an empty
// value, so that an object is read in one go and checked once, at the end. Null counts as absent,
// as in many clients' libraries.
//
// Thread-safety: none; one owner.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class JsonFields {
 public:
  // `owner` is what errors call the object; both outlive this.
  JsonFields(const boost::json::object& object, std::string_view owner)
      : object_(object), owner_(owner) {}

  // Fields that must be there.
  std::string text(std::string_view key);
  bool flag(std::string_view key);
  double number(std::string_view key);
  std::int64_t whole_number(std::string_view key);
  int small_number(std::string_view key);  // a whole number of 32 bits
  const boost::json::object& object(std::string_view key);

  // Fields that may be absent.
  std::optional<std::string> optional_text(std::string_view key);
  std::optional<double> optional_number(std::string_view key);
  std::optional<bool> optional_flag(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::vector<double> numbers(std::string_view key);  // without nulls
  std::vector<const boost::json::object*> objects(std::string_view key);

  bool has(std::string_view key) const { return given(key) != nullptr; }
  bool is_text(std::string_view key) const;

  // The caller found a field wrong that is right by its type.
  void fail(std::string_view key, std::string_view allowed);
  // The error of an object inside this one.
  void take_error_of(const JsonFields& inner);

  // One sentence: the field, its object and what is allowed.
  const std::optional<std::string>& error() const { return error_; }

 private:
  const boost::json::array* optional_array(std::string_view key, std::string_view allowed);
  const boost::json::value* given(std::string_view key) const;
  const boost::json::value* required(std::string_view key, std::string_view allowed);

  const boost::json::object& object_;
  std::string_view owner_;
  std::optional<std::string> error_;
};

}  // namespace surtitle
