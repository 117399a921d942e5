#include "metrics/alignment.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "metrics/text.h"

namespace surtitle {
namespace {

std::size_t common(const Alignment& a, const Alignment& b) {
  return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [&](const AlignmentLink& link) {
    return std::binary_search(b.begin(), b.end(), link);
  }));
}

std::optional<double> ratio(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Returns one more than the largest word.
std::size_t words_of(std::span<const int> words) {
  int count = 0;
  for (const int word : words) count = std::max(count, word + 1);
  return static_cast<std::size_t>(count);
}

// A line of a gold file.
struct GoldLine {
  int line = 0;
  int sentence = 0;
  AlignmentLink link;
  bool sure = true;
};

[[noreturn]] void refuse(const std::string& name, int line, const std::string& what) {
  throw std::runtime_error(name + ":" + std::to_string(line) + ": " + what);
}

GoldLine parse_line(const std::string& text, const std::string& name, int line) {
  const auto fields = python_split(text);
  const auto number = [&](std::size_t field, const char* what) {
    int value = 0;
    const std::string_view digits = fields[field];
    const auto end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end || value < 0) {
      refuse(name, line, "the " + std::string(what) + " must be a whole number of at least 0");
    }
    return value;
  };
  if (fields.size() < 3 || fields.size() > 4) {
    refuse(name, line,
           "found " + std::to_string(fields.size()) +
               " fields; a line must be SENTENCE SOURCE TARGET, then S, P or nothing, which is S");
  }
  GoldLine gold{.line = line,
                .sentence = number(0, "sentence"),
                .link = {number(1, "source word"), number(2, "target word")}};
  if (fields.size() == 4) {
    if (fields[3] != "S" && fields[3] != "P") {
      refuse(name, line, "a link must be S (sure) or P (possible)");
    }
    gold.sure = fields[3] == "S";
  }
  return gold;
}

void sort_once(Alignment& alignment) {
  std::sort(alignment.begin(), alignment.end());
  alignment.erase(std::unique(alignment.begin(), alignment.end()), alignment.end());
}

}  // namespace

AlignmentScores score_alignments(std::span<const Alignment> found,
                                 std::span<const GoldAlignment> gold) {
  if (found.size() != gold.size()) {
    throw std::invalid_argument(std::to_string(found.size()) + " alignments but gold for " +
                                std::to_string(gold.size()));
  }
  std::size_t links = 0;
  std::size_t sure = 0;
  std::size_t found_sure = 0;
  std::size_t found_possible = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    links += found[i].size();
    sure += gold[i].sure.size();
    found_sure += common(found[i], gold[i].sure);
    found_possible += common(found[i], gold[i].possible);
  }
  AlignmentScores scores;
  scores.precision = ratio(found_possible, links);
  scores.recall = ratio(found_sure, sure);
  if (const auto agreement = ratio(found_sure + found_possible, links + sure)) {
    scores.aer = 1 - *agreement;
  }
  return scores;
}

std::optional<double> share_read(std::span<const GoldAlignment> gold,
                                 std::span<const std::vector<int>> words_read) {
  std::size_t links = 0;
  std::size_t read = 0;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    for (const AlignmentLink& link : gold[i].possible) {
      const auto target = static_cast<std::size_t>(link.target);
      if (target >= words_read[i].size()) continue;
      ++links;
      if (link.source < words_read[i][target]) ++read;
    }
  }
  return ratio(read, links);
}

Alignment strongest_links(std::span<const float> attention, std::span<const int> source_words,
                          std::span<const int> target_words) {
  const std::size_t sources = words_of(source_words);
  const std::size_t targets = words_of(target_words);
  std::vector<double> sums(targets * sources);  // [target words, source words]
  std::vector<bool> there(targets);
  for (std::size_t t = 0; t < target_words.size(); ++t) {
    if (target_words[t] < 0) continue;
    const auto target = static_cast<std::size_t>(target_words[t]);
    there[target] = true;
    for (std::size_t s = 0; s < source_words.size(); ++s) {
      if (source_words[s] < 0) continue;
      sums[target * sources + static_cast<std::size_t>(source_words[s])] +=
          static_cast<double>(attention[t * source_words.size() + s]);
    }
  }
  Alignment alignment;
  for (std::size_t target = 0; target < targets && sources > 0; ++target) {
    if (!there[target]) continue;
    const auto row = sums.begin() + static_cast<std::ptrdiff_t>(target * sources);
    const auto best = std::max_element(row, row + static_cast<std::ptrdiff_t>(sources));
    alignment.push_back({static_cast<int>(best - row), static_cast<int>(target)});
  }
  sort_once(alignment);
  return alignment;
}

double entropy(std::span<const float> distribution) {
  double sum = 0;
  for (const float value : distribution) {
    const auto p = static_cast<double>(value);
    if (p > 0) sum -= p * std::log(p);
  }
  return sum;
}

std::string to_pharaoh(const Alignment& alignment) {
  std::string text;
  for (const AlignmentLink& link : alignment) {
    text +=
        (text.empty() ? "" : " ") + std::to_string(link.source) + "-" + std::to_string(link.target);
  }
  return text;
}

std::vector<GoldAlignment> read_gold_alignments(std::istream& in, const std::string& name,
                                                std::size_t sentences) {
  std::vector<GoldLine> lines;
  int count = 0;
  for (std::string text; std::getline(in, text);) {
    ++count;
    if (!python_split(text).empty()) lines.push_back(parse_line(text, name, count));
  }
  const bool from_zero = std::any_of(lines.begin(), lines.end(),
                                     [](const GoldLine& gold) { return gold.sentence == 0; });
  const int first = from_zero ? 0 : 1;
  std::vector<GoldAlignment> gold(sentences);
  for (const GoldLine& line : lines) {
    const auto index = static_cast<std::size_t>(line.sentence - first);
    if (index >= sentences) {
      refuse(name, line.line,
             "sentence " + std::to_string(line.sentence) + ", counted from " +
                 std::to_string(first) + ", of a text of " + std::to_string(sentences));
    }
    GoldAlignment& of_sentence = gold[index];
    if (line.sure) of_sentence.sure.push_back(line.link);
    of_sentence.possible.push_back(line.link);
  }
  for (GoldAlignment& of_sentence : gold) {
    sort_once(of_sentence.sure);
    sort_once(of_sentence.possible);
  }
  return gold;
}

std::vector<GoldAlignment> read_gold_alignments(const std::filesystem::path& file,
                                                std::size_t sentences) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    throw std::runtime_error(file.string() + ": cannot be read");
  }
  return read_gold_alignments(in, file.string(), sentences);
}

}  // namespace surtitle
