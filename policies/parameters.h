// The "KEY=VALUE,KEY=VALUE" part of a policy's spec.
//
// Use: take each known parameter, then check that nothing is left. Numbers have one spelling
// whatever the locale: "1.5", never "1,5". Every error is a std::invalid_argument that names the
// parameter. Thread-safety: none; one owner.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surtitle {

// The shortest text that reads back as `number`: how specs write numbers.
std::string shortest_number(float number);

class PolicyParameters {
 public:
  PolicyParameters() = default;
  // `text` is what stands behind the colon of a spec.
  explicit PolicyParameters(std::string_view text);

  // The parameter's value, or `fallback` where it was not given. Removes it from those that are
  // left.
  float consume_number(std::string_view key, float fallback);
  int consume_whole_number(std::string_view key, int fallback);

  // Throws where a parameter that nobody took was given.
  void require_all_consumed() const;

 private:
  // Where `key` was given, removes it and puts its text into `value`.
  bool consume(std::string_view key, std::string& value);

  std::vector<std::pair<std::string, std::string>> left_;
};

}  // namespace surtitle
