#include "policies/closest_name.h"

#include <algorithm>
#include <cstddef>

namespace surtitle {
namespace {

constexpr std::size_t kLongest = 64;  // bytes; longer names are typed by programs

// The optimal string alignment distance (Damerau-Levenshtein without edits of edited parts).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> closest_name(std::string_view mistyped,
                                        const std::vector<std::string>& names) {
  if (mistyped.size() > kLongest) {
    return std::nullopt;
  }
  std::optional<std::string> closest;
  std::size_t fewest = 0;
  for (const std::string& name : names) {
    const std::size_t edits = edit_distance(mistyped, name);
    if (3 * edits <= std::max<std::size_t>(name.size(), 3) && (!closest || edits < fewest)) {
      closest = name;
      fewest = edits;
    }
  }
  return closest;
}

std::string allowed_names(std::string_view mistyped, const std::vector<std::string>& names) {
  if (const auto closest = closest_name(mistyped, names)) {
    return "; did you mean " + *closest + "?";
  }
  std::string text = "; allowed: ";
  for (const std::string& name : names) {
    text += (&name == &names.front() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace surtitle
