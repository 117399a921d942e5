#include "model/policy_sampler.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>

#include "policies/registry.h"

namespace surtitle {
namespace {

double parse_bound(const std::string& text, const std::string& spec) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = 0;
  if (!(in >> value) || !in.eof())
    throw std::invalid_argument("policy '" + spec + "': '" + text +
                                "' is no number; a range is written LOW..HIGH");
  return value;
}

}  // namespace

PolicySampler::PolicySampler(std::span<const std::string> specs) {
  if (specs.empty()) throw std::invalid_argument("no policy to train with; name at least one");
  for (const auto& text : specs) {
    Choice choice{.before = text, .after = {}};
    const auto dots = text.find("..");
    if (dots != std::string::npos) {
      const auto begin = text.rfind('=', dots);
      auto end = text.find(',', dots);
      if (end == std::string::npos) end = text.size();
      if (begin == std::string::npos)
        throw std::invalid_argument("policy '" + text + "': a range is written KEY=LOW..HIGH");
      const auto low = text.substr(begin + 1, dots - begin - 1);
      const auto high = text.substr(dots + 2, end - dots - 2);
      choice = {.before = text.substr(0, begin + 1),
                .after = text.substr(end),
                .low = parse_bound(low, text),
                .high = parse_bound(high, text),
                .ranged = true,
                .whole = low.find('.') == std::string::npos && high.find('.') == std::string::npos};
      if (choice.low > choice.high)
        throw std::invalid_argument("policy '" + text +
                                    "': the range's low end is above its high end");
    }
    const auto name = make_policy(spec(choice, choice.low))->name();
    make_policy(spec(choice, choice.high));
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    choices_.push_back(choice);
  }
}

std::string PolicySampler::spec(const Choice& choice, double value) {
  if (!choice.ranged) return choice.before;
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << choice.before << std::setprecision(9) << value << choice.after;
  return out.str();
}

PolicyPtr PolicySampler::draw(std::mt19937_64& random) const {
  const auto& choice = choices_[random() % choices_.size()];
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  const double span = choice.high - choice.low;
  const double value =
      choice.whole ? choice.low + std::floor(unit * (span + 1)) : choice.low + unit * span;
  return make_policy(spec(choice, value));
}

}  // namespace surtitle
