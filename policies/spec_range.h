// A policy's spec in which one value may be a range.
//
// Examples: "gma:delta=0.5..3", "wait-k:k=1..9", "gma:delta=0.5..3/0.5".
//
// Thread-safety: immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class SpecRange {
 public:
  // Parses a spec with or without a range. Throws std::invalid_argument if the range is malformed
  // or make_policy() rejects the policy at either end.
  explicit SpecRange(std::string_view spec);

  // Returns the spec at a share in [0, 1) of the range. A range with a step is divided into equally
  // wide steps; any other range is continuous.
  std::string at_fraction(double share) const;

  // Returns the specs from low to high, one step apart: the step after "/", or 1 for whole numbers.
  // Throws std::invalid_argument if there is neither, or if there are more than 1000 steps.
  std::vector<std::string> steps() const;

 private:
  double step() const { return step_ == 0 && whole_ ? 1 : step_; }
  double step_count() const;
  std::string at(double value) const;

  std::string text_;
  std::string before_;  // the spec up to the range, or all of it
  std::string after_;
  double low_ = 0;
  double high_ = 0;
  double step_ = 0;  // 0: none given
  bool ranged_ = false;
  bool whole_ = false;  // both ends are written as whole numbers
};

}  // namespace surtitle
