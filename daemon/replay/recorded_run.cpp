#include "daemon/replay/recorded_run.h"

#include <algorithm>

#include "daemon/evaluation/evaluation.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

template <typename Number>
void append(std::vector<Number>& all, const std::vector<Number>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void append_text(std::string& all, const std::string& more) {
  all += (all.empty() || more.empty() ? "" : " ") + more;
}

// Iterates over a run's sentences.
struct Cursor {
  std::span<const RecordedSentence> sentences;
  std::size_t first = 0;  // sentence of the current row
  std::size_t end = 0;    // of the current row
  int words = 0;          // before `end`

  bool done() const { return end == sentences.size(); }
  void advance() { words += sentences[end++].source_words(); }
};

// Advances until all runs are at the same number of words, or at their end.
RunRow next_row(std::vector<Cursor>& cursors) {
  for (Cursor& cursor : cursors) {
    cursor.first = cursor.end;
  }
  const auto furthest = [&] {
    return std::max_element(cursors.begin(), cursors.end(),
                            [](const Cursor& a, const Cursor& b) { return a.words < b.words; })
        ->words;
  };
  for (Cursor& cursor : cursors) {
    if (!cursor.done()) {
      cursor.advance();
    }
  }
  for (bool moved = true; moved;) {
    moved = false;
    const int words = furthest();
    for (Cursor& cursor : cursors) {
      while (cursor.words < words && !cursor.done()) {
        cursor.advance();
        moved = true;
      }
    }
  }
  RunRow row;
  for (const Cursor& cursor : cursors) {
    row.push_back(join(cursor.sentences.subspan(cursor.first, cursor.end - cursor.first)));
  }
  return row;
}

}  // namespace

int RecordedSentence::source_words() const { return static_cast<int>(split_words(source).size()); }

std::vector<float> RecordedRun::delays_ms() const {
  std::vector<float> all;
  for (const RecordedSentence& sentence : sentences) {
    append(all, sentence.delays_ms);
  }
  std::sort(all.begin(), all.end());
  return all;
}

LatencyScores word_scores(const RecordedSentence& sentence) {
  return latency(
      sentence.delays, sentence.source_words(),
      sentence.reference ? std::optional(reference_length(*sentence.reference)) : std::nullopt);
}

LatencyScores word_scores(const RecordedRun& run) {
  std::vector<LatencyScores> scores;
  for (const RecordedSentence& sentence : run.sentences) {
    scores.push_back(word_scores(sentence));
  }
  return mean(scores);
}

RecordedSentence join(std::span<const RecordedSentence> sentences) {
  if (sentences.size() == 1) {
    return sentences.front();
  }
  RecordedSentence joined;
  int words = 0;
  for (const RecordedSentence& sentence : sentences) {
    append_text(joined.source, sentence.source);
    append_text(joined.target, sentence.target);
    append(joined.source_times, sentence.source_times);
    for (const double delay : sentence.delays) {
      joined.delays.push_back(words + delay);
    }
    append(joined.written, sentence.written);
    append(joined.due, sentence.due);
    append(joined.delays_ms, sentence.delays_ms);
    if (sentence.reference) {
      joined.reference = joined.reference.value_or("");
      append_text(*joined.reference, *sentence.reference);
    }
    words += sentence.source_words();
  }
  return joined;
}

std::vector<RunRow> align(std::span<const RecordedRun* const> runs) {
  std::vector<Cursor> cursors;
  for (const RecordedRun* run : runs) {
    cursors.push_back({.sentences = run->sentences});
  }
  std::vector<RunRow> rows;
  while (!std::all_of(cursors.begin(), cursors.end(),
                      [](const Cursor& cursor) { return cursor.done(); })) {
    rows.push_back(next_row(cursors));
  }
  return rows;
}

void join_to(RecordedRun& run, std::span<const int> words) {
  std::vector<RecordedSentence> joined;
  const std::span<const RecordedSentence> all = run.sentences;
  std::size_t begin = 0;
  for (const int wanted : words) {
    std::size_t end = begin;
    int found = 0;
    while (found < wanted && end < all.size()) {
      found += all[end++].source_words();
    }
    if (found != wanted) {
      return;
    }
    joined.push_back(join(all.subspan(begin, end - begin)));
    begin = end;
  }
  if (begin == all.size()) {
    run.sentences = std::move(joined);
  }
}

void set_references(RecordedRun& run, std::span<const std::string> references) {
  const bool fit = references.size() == run.sentences.size();
  for (std::size_t i = 0; fit && i < references.size(); ++i) {
    run.sentences[i].reference = references[i];
  }
}

std::vector<Instance> to_instances(const RecordedRun& run,
                                   std::span<const std::string> references) {
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < run.sentences.size(); ++i) {
    const RecordedSentence& sentence = run.sentences[i];
    Instance instance;
    instance.index = static_cast<std::int64_t>(i);
    instance.delays = sentence.delays;
    instance.source_length = sentence.source_words();
    instance.prediction = sentence.target;
    instance.source = sentence.source;
    if (references.size() == run.sentences.size()) {
      instance.reference = references[i];
      instance.reference_length = reference_length(references[i]);
    }
    instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace surtitle
