// The "KEY=VALUE,KEY=VALUE" part of a policy's spec.
//
// Consume each known parameter, then check that none is left. Numbers have one spelling in every
// locale: "1.5", never "1,5". Every error is a std::invalid_argument that names the parameter.
// Thread-safety: none; one owner.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surtitle {

// Returns the shortest text that reads back as `number`; specs contain numbers in this form.
std::string shortest_number(float number);

class PolicyParameters {
 public:
  PolicyParameters() = default;
  // `text` is the part of a spec after the colon.
  explicit PolicyParameters(std::string_view text);

  // Removes the parameter and returns its value, or `fallback` if it was not given.
  float consume_number(std::string_view key, float fallback);
  int consume_whole_number(std::string_view key, int fallback);

  // Throws if a parameter that was given has not been consumed.
  void require_all_consumed() const;

 private:
  // Moves the text of `key` into `value` and removes the parameter. Returns false if it was not
  // given.
  bool consume(std::string_view key, std::string& value);

  std::vector<std::pair<std::string, std::string>> left_;
};

}  // namespace surtitle
