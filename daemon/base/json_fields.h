// Reads the fields of one JSON object.
//
// The first invalid field is kept as the error. The reader of an invalid field returns an empty
// value. So an object can be read in one go and checked once, at the end. Null counts as absent,
// because many clients' libraries send it for absent fields.
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
  // `owner` is the object's name in errors. REQUIRES: both arguments outlive this.
  JsonFields(const boost::json::object& object, std::string_view owner)
      : object_(object), owner_(owner) {}

  // Required fields.
  std::string text(std::string_view key);
  bool flag(std::string_view key);
  double number(std::string_view key);
  std::int64_t whole_number(std::string_view key);
  int small_number(std::string_view key);  // a whole number of 32 bits
  const boost::json::object& object(std::string_view key);

  // Optional fields. A list that is absent is empty.
  std::optional<std::string> optional_text(std::string_view key);
  std::optional<double> optional_number(std::string_view key);
  std::optional<std::int64_t> optional_whole_number(std::string_view key);
  std::optional<bool> optional_flag(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::vector<std::vector<std::string>> text_lists(std::string_view key);
  std::vector<double> numbers(std::string_view key);  // without nulls
  std::vector<const boost::json::object*> objects(std::string_view key);

  bool has(std::string_view key) const { return given(key) != nullptr; }
  // Unlike has(), also counts null.
  bool contains(std::string_view key) const { return object_.contains(key); }
  bool is_text(std::string_view key) const;

  // Reports a field that has the right type and a value that the caller does not allow.
  void fail(std::string_view key, std::string_view allowed);
  // Adopts the error of a nested object, unless this object has one already.
  void adopt_error(const JsonFields& inner);

  // The first error: one sentence with the field, its object and what is allowed.
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
