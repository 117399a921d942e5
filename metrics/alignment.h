// Word alignments between sentences and their scores.
//
// Thread-safety: all functions may be called from any thread.
//
// Words count from 0. Scores of found links A against sure links S and possible links P, where P
// contains S, over all sentences together (Och & Ney 2003, "A Systematic Comparison of Various
// Statistical Alignment Models"):
//
//   precision  |A and P| / |A|
//   recall     |A and S| / |S|
//   AER        1 - (|A and S| + |A and P|) / (|A| + |S|)
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace surtitle {

struct AlignmentLink {
  int source = 0;
  int target = 0;

  bool operator==(const AlignmentLink&) const = default;
  bool operator<(const AlignmentLink& other) const noexcept {
    return source != other.source ? source < other.source : target < other.target;
  }
};

// Sorted, without duplicates.
using Alignment = std::vector<AlignmentLink>;

// The links of a sentence according to human annotators.
struct GoldAlignment {
  Alignment sure;
  Alignment possible;  // includes the sure links
};

// A score is nullopt if it would divide by 0.
struct AlignmentScores {
  std::optional<double> aer;
  std::optional<double> precision;
  std::optional<double> recall;
};

// REQUIRES: found.size() == gold.size(); otherwise throws std::invalid_argument.
AlignmentScores score_alignments(std::span<const Alignment> found,
                                 std::span<const GoldAlignment> gold);

// Returns the share of gold's links, sure and possible, whose source word was read before its
// target word was begun (Zhang & Feng 2022, table 3). Returns nullopt if there is no link.
// `words_read[sentence][target word]` counts source words. A link whose target word has no entry is
// left out.
std::optional<double> share_read(std::span<const GoldAlignment> gold,
                                 std::span<const std::vector<int>> words_read);

// Links each target word to the source word that it attends to most; of several, to the first one.
// The attention of a target word to a source word is the sum over the tokens of both. `attention`
// is [target tokens, source tokens]. `source_words` and `target_words` have the word of each token,
// or -1 for a token that belongs to no word.
Alignment strongest_links(std::span<const float> attention, std::span<const int> source_words,
                          std::span<const int> target_words);

// Returns -sum p ln p, in nats.
double entropy(std::span<const float> distribution);

// Returns links as "0-0 1-2": source-target, with single spaces.
std::string to_pharaoh(const Alignment& alignment);

// Reads gold links of `sentences` sentences from lines "SENTENCE SOURCE TARGET S" or "... P". S is
// sure and the default; P is possible. Sentences count from 1, or from 0 if a line names sentence
// 0. Blank lines are skipped. Throws std::runtime_error, "NAME:LINE: what is wrong".
std::vector<GoldAlignment> read_gold_alignments(std::istream& in, const std::string& name,
                                                std::size_t sentences);

// Throws also if the file cannot be read, naming it.
std::vector<GoldAlignment> read_gold_alignments(const std::filesystem::path& file,
                                                std::size_t sentences);

}  // namespace surtitle
