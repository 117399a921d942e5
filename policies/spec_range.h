// A policy's spec in which one value may be a range: "gma:delta=0.5..3", "wait-k:k=1..9",
// "gma:delta=0.5..3/0.5".
//
// Thread-safety: immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class SpecRange {
 public:
  // A spec without a range is taken as it is. Throws std::invalid_argument where the range is
  // written wrong, or where the policies at its ends are none that make_policy() makes.
  explicit SpecRange(std::string_view spec);

  // The spec at a share in [0, 1) of the range: of its steps where it has them, equally wide, else
  // of all its values.
  std::string at_fraction(double share) const;

  // Each spec from low to high, one step apart: the step behind "/", or 1 for whole numbers.
  // Throws std::invalid_argument where there is neither.
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
