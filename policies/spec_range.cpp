#include "policies/spec_range.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>

#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr double kMaxSteps = 1000;

[[noreturn]] void refuse(const std::string& spec, const std::string& why) {
  throw std::invalid_argument("policy '" + spec + "': " + why);
}

double parse_bound(const std::string& text, const std::string& spec) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = 0;
  if (!(in >> value) || !in.eof())
    refuse(spec, "'" + text + "' is not a number; a range must be LOW..HIGH or LOW..HIGH/STEP");
  return value;
}

bool written_whole(const std::string& number) { return number.find('.') == std::string::npos; }

}  // namespace

SpecRange::SpecRange(std::string_view spec) : text_(spec), before_(spec) {
  const auto dots = text_.find("..");
  if (dots != std::string::npos) {
    const auto begin = text_.rfind('=', dots);
    if (begin == std::string::npos) refuse(text_, "a range must be KEY=LOW..HIGH");
    const auto end = std::min(text_.find(',', dots), text_.size());
    const auto slash = std::min(text_.find('/', dots), end);
    const auto low = text_.substr(begin + 1, dots - begin - 1);
    const auto high = text_.substr(dots + 2, slash - dots - 2);
    before_ = text_.substr(0, begin + 1);
    after_ = text_.substr(end);
    low_ = parse_bound(low, text_);
    high_ = parse_bound(high, text_);
    whole_ = written_whole(low) && written_whole(high);
    ranged_ = true;
    if (slash < end) {
      const auto step = text_.substr(slash + 1, end - slash - 1);
      step_ = parse_bound(step, text_);
      if (!(step_ > 0)) refuse(text_, "the range's step must be above 0");
    }
    if (low_ > high_) refuse(text_, "the range's low end is above its high end");
  }
  make_policy(at(low_));
  make_policy(at(high_));
}

std::string SpecRange::at(double value) const {
  if (!ranged_) return before_;
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << before_ << std::setprecision(9) << value << after_;
  return out.str();
}

// The tolerance keeps rounding from losing the last step.
double SpecRange::step_count() const { return std::floor((high_ - low_) / step() + 1e-6) + 1; }

std::string SpecRange::at_fraction(double share) const {
  if (ranged_ && step() > 0) return at(low_ + step() * std::floor(share * step_count()));
  return at(low_ + share * (high_ - low_));
}

std::vector<std::string> SpecRange::steps() const {
  if (!ranged_) return {before_};
  if (step() == 0) refuse(text_, "the range needs a step: LOW..HIGH/STEP");
  if (step_count() > kMaxSteps) refuse(text_, "the range has more than 1000 steps");
  std::vector<std::string> specs;
  for (double i = 0; i < step_count(); ++i) specs.push_back(at(low_ + i * step()));
  return specs;
}

}  // namespace surtitle
