#include "model/engine/sinusoids.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace surtitle {

std::vector<float> make_sinusoids(int positions, int width, Positions kind) {
  const int half = width / 2;
  const int steps = kind == Positions::kTransformers ? half : std::max(half - 1, 1);
  const double step = std::log(10000.0) / steps;
  const int first = kind == Positions::kFairseq ? 2 : 0;
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(positions) * static_cast<std::size_t>(width));
  for (int n = first; n < positions + first; ++n) {
    const auto angle = [&](int i) {
      return static_cast<float>(n) * std::exp(static_cast<float>(i) * static_cast<float>(-step));
    };
    for (int i = 0; i < half; ++i) table.push_back(std::sin(angle(i)));
    for (int i = 0; i < half; ++i) table.push_back(std::cos(angle(i)));
  }
  return table;
}

}  // namespace surtitle
