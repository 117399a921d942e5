#include "daemon/translation/word_diff.h"

#include <algorithm>
#include <limits>

namespace surtitle {
namespace {

constexpr std::size_t kMaxShift = 16;
constexpr int kUnreachable = std::numeric_limits<int>::max() / 2;

// Edit distances between prefixes of `standing` (rows) and of `hypothesis` (columns). Each row has
// only the columns near the diagonal.
class Distances {
 public:
  Distances(const std::vector<std::string>& standing,
            const std::vector<std::string_view>& hypothesis, std::size_t begin)
      : standing_(standing),
        hypothesis_(hypothesis),
        begin_(begin),
        columns_(hypothesis.size() - begin) {
    for (std::size_t row = 0; row <= rows(); ++row) {
      const std::size_t from = first_column(row);
      const std::size_t to = std::min(columns_, row + kMaxShift);
      rows_.push_back({from, {}});
      for (std::size_t column = from; column <= to; ++column) {
        rows_.back().costs.push_back(cost(row, column));
      }
    }
  }

  std::size_t rows() const { return standing_.size() - begin_; }

  int at(std::size_t row, std::size_t column) const {
    const Row& known = rows_[row];
    return column < known.first || column - known.first >= known.costs.size()
               ? kUnreachable
               : known.costs[column - known.first];
  }

  bool same(std::size_t row, std::size_t column) const {
    return standing_[begin_ + row] == hypothesis_[begin_ + column];
  }

  // Returns the number of the hypothesis' words that correspond to all standing words. Among equal
  // costs it is the largest: the words after it count as new, and no word must be committed twice.
  std::size_t best_column() const {
    std::size_t best = first_column(rows());
    for (std::size_t column = best; column < rows_.back().first + rows_.back().costs.size();
         ++column) {
      best = at(rows(), column) <= at(rows(), best) ? column : best;
    }
    return best;
  }

 private:
  struct Row {
    std::size_t first;
    std::vector<int> costs;
  };

  // The last column is always included, because all standing words at the end may be deleted.
  std::size_t first_column(std::size_t row) const {
    return std::min(columns_, row - std::min(row, kMaxShift));
  }

  int cost(std::size_t row, std::size_t column) const {
    if (row == 0) {
      return static_cast<int>(column);
    }
    int least = at(row - 1, column) + 1;
    if (column > 0) {
      least = std::min(least, at(row - 1, column - 1) + (same(row - 1, column - 1) ? 0 : 1));
      least = std::min(least, at(row, column - 1) + 1);
    }
    return least;
  }

  const std::vector<std::string>& standing_;
  const std::vector<std::string_view>& hypothesis_;
  const std::size_t begin_;
  const std::size_t columns_;
  std::vector<Row> rows_;
};

// Adds a step of the alignment to `changes`, which are in reverse order. Merges adjacent steps.
void put(std::vector<WordChange>& changes, const WordChange& step) {
  if (!changes.empty() && step.first + step.count == changes.back().first &&
      step.hypothesis_first + step.hypothesis_count == changes.back().hypothesis_first) {
    changes.back() = {step.first, step.count + changes.back().count, step.hypothesis_first,
                      step.hypothesis_count + changes.back().hypothesis_count};
  } else {
    changes.push_back(step);
  }
}

// Inserted words have no standing word of their own. The one after them counts as changed.
void consume_word(std::vector<WordChange>& changes) {
  for (WordChange& change : changes) {
    if (change.count == 0) {
      ++change.count;
      ++change.hypothesis_count;
    }
  }
}

}  // namespace

WordComparison compare_words(const std::vector<std::string>& standing,
                             const std::vector<std::string_view>& hypothesis) {
  const auto differ =
      std::mismatch(standing.begin(), standing.end(), hypothesis.begin(), hypothesis.end()).first;
  const auto begin = static_cast<std::size_t>(differ - standing.begin());
  if (begin == standing.size()) {
    return {{}, begin};
  }
  const Distances distances(standing, hypothesis, begin);
  std::size_t row = distances.rows();
  std::size_t column = distances.best_column();
  WordComparison comparison{{}, begin + column};
  while (row > 0 || column > 0) {
    const int cost = distances.at(row, column);
    const bool both = row > 0 && column > 0;
    const bool same = both && distances.same(row - 1, column - 1);
    if (both && distances.at(row - 1, column - 1) + (same ? 0 : 1) == cost) {
      --row;
      --column;
      if (!same) {
        put(comparison.changes, {begin + row, 1, begin + column, 1});
      }
    } else if (row > 0 && distances.at(row - 1, column) + 1 == cost) {
      --row;
      put(comparison.changes, {begin + row, 1, begin + column, 0});
    } else {
      --column;
      put(comparison.changes, {begin + row, 0, begin + column, 1});
    }
  }
  std::reverse(comparison.changes.begin(), comparison.changes.end());
  consume_word(comparison.changes);
  return comparison;
}

}  // namespace surtitle
