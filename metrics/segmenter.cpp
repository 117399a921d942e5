#include "metrics/segmenter.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>

#include "metrics/text.h"

namespace surtitle {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

struct Word {
  std::u32string characters;  // sorted, each once
  bool is_punctuation = false;
  std::size_t segment = 0;  // of a word of a reference
};

bool is_punctuation(const std::u32string& text) {
  constexpr std::u32string_view kSigns = U".!?,;:-()。！？，；：—（）ー";
  return text.size() == 1 && kSigns.find(text[0]) != kSigns.npos;
}

Word to_word(std::string_view text, std::size_t segment) {
  Word word;
  word.characters = decode_utf8(folded(text));
  word.is_punctuation = is_punctuation(word.characters);
  std::sort(word.characters.begin(), word.characters.end());
  word.characters.erase(std::unique(word.characters.begin(), word.characters.end()),
                        word.characters.end());
  word.segment = segment;
  return word;
}

// Returns the share of characters that both words have, 0 to 1. Punctuation is like no word.
double similarity(const Word& a, const Word& b) {
  if (a.is_punctuation != b.is_punctuation) {
    return kNever;
  }
  std::size_t common = 0;
  auto i = a.characters.begin();
  auto j = b.characters.begin();
  while (i != a.characters.end() && j != b.characters.end()) {
    common += *i == *j ? 1 : 0;
    const bool next_i = *i <= *j;
    const bool next_j = *j <= *i;
    i += next_i ? 1 : 0;
    j += next_j ? 1 : 0;
  }
  const std::size_t all = a.characters.size() + b.characters.size() - common;
  return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

enum class Move : std::uint8_t { kBoth, kReference, kWord };

// Moves from the beginning to the end of the alignment with the largest sum of similarities.
std::vector<Move> align(std::span<const Word> references, std::span<const Word> words) {
  const std::size_t columns = words.size() + 1;
  std::vector<Move> moves((references.size() + 1) * columns, Move::kReference);
  std::fill_n(moves.begin(), columns, Move::kWord);
  std::vector<double> above(columns, 0);
  std::vector<double> sums(columns, 0);
  for (std::size_t i = 1; i <= references.size(); ++i) {
    for (std::size_t j = 1; j < columns; ++j) {
      const double both = above[j - 1] + similarity(references[i - 1], words[j - 1]);
      const double reference = above[j];
      const double word = sums[j - 1];
      Move& move = moves[i * columns + j];
      move = both >= reference && both >= word ? Move::kBoth
             : reference >= word               ? Move::kReference
                                               : Move::kWord;
      sums[j] = move == Move::kBoth ? both : move == Move::kReference ? reference : word;
    }
    std::swap(above, sums);
  }
  std::vector<Move> path;
  for (std::size_t i = references.size(), j = words.size(); i > 0 || j > 0;) {
    path.push_back(moves[i * columns + j]);
    i -= path.back() == Move::kWord ? 0 : 1;
    j -= path.back() == Move::kReference ? 0 : 1;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::string joined(std::span<const std::string_view> words, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = first; i < end; ++i) {
    text.append(i == first ? "" : " ").append(words[i]);
  }
  return text;
}

// Returns the times of some words from the begin of their sentence.
std::vector<double> times_from(double begin, const std::vector<double>& times, std::size_t first,
                               std::size_t end) {
  std::vector<double> some;
  for (std::size_t i = first; i < std::min(end, times.size()); ++i) {
    some.push_back(times[i] - begin);
  }
  return some;
}

}  // namespace

std::vector<std::size_t> segment_words(std::span<const std::string> references,
                                       std::span<const std::string> words) {
  std::vector<Word> wanted;
  for (std::size_t i = 0; i < references.size(); ++i) {
    for (const std::string_view word : python_split(references[i])) {
      wanted.push_back(to_word(word, i));
    }
  }
  std::vector<Word> written;
  for (const std::string& word : words) {
    written.push_back(to_word(word, 0));
  }
  std::vector<std::size_t> segments;
  std::optional<std::size_t> before;  // the last reference word that counts
  std::size_t next = 0;               // the next reference word
  bool goes_forward = false;          // words up to it belong to it
  auto word = written.begin();
  for (const Move move : align(wanted, written)) {
    if (move != Move::kWord) {
      before = next++;
      goes_forward = false;
    } else if (!goes_forward) {
      const double like_next = next < wanted.size() ? similarity(*word, wanted[next]) : kNever;
      const double like_before = before ? similarity(*word, wanted[*before]) : kNever;
      goes_forward = like_next > like_before;
    }
    if (move != Move::kReference) {
      if (goes_forward || before) {
        segments.push_back(wanted[goes_forward ? next : *before].segment);
      }
      ++word;
    }
  }
  return segments;
}

std::vector<Instance> resegment(std::span<const ReferenceSegment> segments,
                                const RecordedTranslation& translation, std::size_t first) {
  const std::vector<std::string_view> words = python_split(translation.text);
  const auto require_one_per_word = [&](const std::vector<double>& times, const char* kind) {
    if (times.size() != words.size()) {
      throw std::invalid_argument(
          "recording '" + translation.recording + "' has " + std::to_string(words.size()) +
          " words but " + std::to_string(times.size()) + " " + kind + "; each word must have one");
    }
  };
  require_one_per_word(translation.delays, "delays");
  if (!translation.elapsed.empty()) {
    require_one_per_word(translation.elapsed, "elapsed times");
  }
  std::vector<std::string> references;
  double end = 0;
  bool has_words = false;
  for (const ReferenceSegment& segment : segments) {
    references.push_back(segment.reference);
    end = std::max(end, segment.begin + segment.duration);
    has_words = has_words || !python_split(segment.reference).empty();
  }
  if (!has_words) {
    throw std::invalid_argument("the references of recording '" + translation.recording +
                                "' have no words");
  }
  const std::vector<std::size_t> places =
      segment_words(references, std::vector<std::string>(words.begin(), words.end()));
  std::vector<Instance> instances;
  std::size_t to = words.size() - places.size();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::size_t from = to;
    to += static_cast<std::size_t>(std::count(places.begin(), places.end(), i));
    Instance instance;
    instance.index = static_cast<std::int64_t>(first + i);
    instance.prediction = joined(words, from, to);
    instance.reference = segments[i].reference;
    instance.reference_length = count_pieces(segments[i].reference);
    instance.source_length = segments[i].duration;
    instance.delays = times_from(segments[i].begin, translation.delays, from, to);
    instance.elapsed = times_from(segments[i].begin, translation.elapsed, from, to);
    instance.recording_end = end - segments[i].begin;
    instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace surtitle
