#include "metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <unordered_map>

#include "metrics/text.h"

namespace surtitle {
namespace {

constexpr std::size_t kOrders = 4;

using NgramCounts = std::unordered_map<std::string, std::int64_t>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Punctuation that is always a token: all of ASCII's except ' , - and the period.
bool is_lone(char c) {
  return (c >= '!' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool is_period_or_comma(char c) { return c == '.' || c == ','; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t at = 0;
  while ((at = text.find(from, at)) != std::string::npos) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

// The passes below work on bytes. They look for ASCII, and a byte of a longer character is neither
// a digit nor punctuation. A match consumes both of its characters; the next match begins after
// them.

std::string split_lone_punctuation(std::string_view line) {
  std::string out;
  for (const char c : line) {
    if (is_lone(c)) {
      out.append({' ', c, ' '});
    } else {
      out += c;
    }
  }
  return out;
}

std::string split_period_after_no_digit(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    out += line[i];
    if (!is_digit(line[i]) && i + 1 < line.size() && is_period_or_comma(line[i + 1])) {
      out.append({' ', line[i + 1], ' '});
      ++i;
    }
  }
  return out;
}

std::string split_period_before_no_digit(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_period_or_comma(line[i]) && i + 1 < line.size() && !is_digit(line[i + 1])) {
      out.append({' ', line[i], ' ', line[i + 1]});
      ++i;
    } else {
      out += line[i];
    }
  }
  return out;
}

std::string split_dash_after_digit(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    out += line[i];
    if (is_digit(line[i]) && i + 1 < line.size() && line[i + 1] == '-') {
      out += " - ";
      ++i;
    }
  }
  return out;
}

// Counts 1- to 4-grams of a sentence by order. A space, which no word contains, joins their words.
std::array<NgramCounts, kOrders> count_ngrams(const std::vector<std::string>& words) {
  std::array<NgramCounts, kOrders> counts;
  for (std::size_t first = 0; first < words.size(); ++first) {
    std::string ngram;
    for (std::size_t order = 0; order < kOrders && first + order < words.size(); ++order) {
      if (order > 0) {
        ngram += ' ';
      }
      ngram += words[first + order];
      ++counts[order][ngram];
    }
  }
  return counts;
}

// What BLEU needs to know of a corpus, or of one of its sentences.
struct Counts {
  std::array<std::int64_t, kOrders> correct{};
  std::array<std::int64_t, kOrders> total{};
  std::int64_t hypothesis_length = 0;
  std::int64_t reference_length = 0;

  Counts& operator+=(const Counts& other) {
    for (std::size_t order = 0; order < kOrders; ++order) {
      correct[order] += other.correct[order];
      total[order] += other.total[order];
    }
    hypothesis_length += other.hypothesis_length;
    reference_length += other.reference_length;
    return *this;
  }
};

Counts count(const std::string& hypothesis_line, const std::string& reference_line) {
  const auto hypothesis = tokenize_13a(python_rstrip(hypothesis_line));
  const auto reference = tokenize_13a(python_rstrip(reference_line));
  Counts counts;
  counts.hypothesis_length = static_cast<std::int64_t>(hypothesis.size());
  counts.reference_length = static_cast<std::int64_t>(reference.size());
  const auto ours = count_ngrams(hypothesis);
  const auto theirs = count_ngrams(reference);
  for (std::size_t order = 0; order < kOrders; ++order) {
    for (const auto& [ngram, count] : ours[order]) {
      counts.total[order] += count;
      const auto found = theirs[order].find(ngram);
      if (found != theirs[order].end()) {
        counts.correct[order] += std::min(count, found->second);
      }
    }
  }
  return counts;
}

std::vector<Counts> count_each(std::span<const std::string> hypotheses,
                               std::span<const std::string> references) {
  if (hypotheses.size() != references.size()) {
    throw std::invalid_argument(
        "BLEU needs one reference for each hypothesis: " + std::to_string(hypotheses.size()) +
        " hypotheses, " + std::to_string(references.size()) + " references");
  }
  std::vector<Counts> counts;
  counts.reserve(hypotheses.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    counts.push_back(count(hypotheses[i], references[i]));
  }
  return counts;
}

BleuScore score(const Counts& counts) {
  BleuScore bleu;
  bleu.hypothesis_length = counts.hypothesis_length;
  bleu.reference_length = counts.reference_length;
  if (bleu.hypothesis_length < bleu.reference_length) {
    bleu.brevity_penalty = bleu.hypothesis_length == 0
                               ? 0.0
                               : std::exp(1.0 - static_cast<double>(bleu.reference_length) /
                                                    static_cast<double>(bleu.hypothesis_length));
  }
  if (counts.correct[0] == 0) {
    return bleu;  // no longer n-gram can match either
  }
  double log_sum = 0;
  double smoothing = 1;
  for (std::size_t order = 0; order < kOrders; ++order) {
    if (counts.total[order] == 0) {
      return bleu;  // no hypothesis is this long: log(0)
    }
    auto correct = static_cast<double>(counts.correct[order]);
    if (counts.correct[order] == 0) {
      smoothing *= 2;
      correct = 1 / smoothing;
    }
    bleu.precisions[order] = 100 * correct / static_cast<double>(counts.total[order]);
    log_sum += std::log(bleu.precisions[order]);
  }
  bleu.score = bleu.brevity_penalty * std::exp(log_sum / static_cast<double>(kOrders));
  return bleu;
}

}  // namespace

std::vector<std::string> tokenize_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  text = split_lone_punctuation(" " + text + " ");
  text = split_period_after_no_digit(text);
  text = split_period_before_no_digit(text);
  text = split_dash_after_digit(text);
  const std::vector<std::string_view> words = python_split(text);
  return {words.begin(), words.end()};
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::string> references) {
  Counts sum;
  for (const Counts& counts : count_each(hypotheses, references)) {
    sum += counts;
  }
  return score(sum);
}

std::vector<double> resampled_bleu(std::span<const std::string> hypotheses,
                                   std::span<const std::string> references, int resamples) {
  const std::vector<Counts> counts = count_each(hypotheses, references);
  std::mt19937 random;  // NOLINT(cert-msc51-cpp): every system has the same draws
  std::vector<double> scores;
  for (int resample = 0; resample < resamples; ++resample) {
    Counts sum;
    for (std::size_t draw = 0; draw < counts.size(); ++draw) {
      sum += counts[random() % counts.size()];
    }
    scores.push_back(score(sum).score);
  }
  return scores;
}

Interval middle_95_percent(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const std::size_t left_out = scores.size() / 40;
  return {scores[left_out], scores[scores.size() - 1 - left_out]};
}

std::string_view bleu_signature() noexcept {
  return "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0";
}

}  // namespace surtitle
