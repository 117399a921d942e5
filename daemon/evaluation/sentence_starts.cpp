#include "daemon/evaluation/sentence_starts.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "daemon/base/text.h"
#include "daemon/evaluation/evaluation.h"
#include "daemon/evaluation/text_model.h"
#include "daemon/translation/sentence_splitter.h"
#include "model/text/text_form.h"
#include "model/text/words.h"
#include "policies/registry.h"

namespace surtitle {
namespace {

constexpr std::size_t kRunLines = 3;
constexpr int kThresholds = 100;

void append_line(SpokenRun& run, std::string_view line, std::string_view language) {
  SentenceSplitter splitter(language);
  bool starts = true;
  for (const std::string_view word : split_words(line)) {
    if (splitter.ends_before(word)) {
      splitter.begin_sentence();
      starts = true;
    }
    std::string spoken = spoken_word(word);
    if (!spoken.empty()) {
      run.push_back({std::move(spoken), std::exchange(starts, false)});
    }
    if (splitter.append(word)) {
      splitter.begin_sentence();
      starts = true;
    }
  }
}

// Watches runs with as many open sentences as the translator allows.
class Watch {
 public:
  Watch(Translator& translator, const Tokenizer& tokenizer)
      : translator_(translator), tokenizer_(tokenizer) {}

  // Returns false if the translator has no room.
  bool open(const SpokenRun& run) {
    const auto id = translator_.open(make_policy("full-sentence"));
    if (!id) {
      return false;
    }
    translator_.watch_starts(*id);
    std::deque<std::optional<bool>>& labels = open_[*id];
    auto room = static_cast<std::size_t>(translator_.info().max_source_tokens);
    for (const SpokenWord& word : run) {
      const std::vector<int> tokens = tokenizer_.encode_word(word.text);
      if (tokens.size() > room) {
        break;
      }
      if (!tokens.empty()) {
        room -= tokens.size();
        translator_.read(*id, tokens);
        labels.push_back(labels.empty() ? std::nullopt : std::optional(word.starts));
      }
    }
    translator_.finish(*id);
    return true;
  }

  void tick() {
    std::vector<Write> writes;
    translator_.tick(writes);
    for (const Write& write : writes) {
      if (write.end) {
        translator_.close(write.sentence);
        open_.erase(write.sentence);
        continue;
      }
      std::deque<std::optional<bool>>& labels = open_.at(write.sentence);
      if (labels.front()) {
        words_.push_back({*write.start, *labels.front()});
      }
      labels.pop_front();
    }
  }

  bool idle() const { return open_.empty(); }
  std::vector<WatchedWord> words() { return std::move(words_); }

 private:
  Translator& translator_;
  const Tokenizer& tokenizer_;
  // The words without a probability of each open sentence; nullopt: not scored.
  std::map<SentenceId, std::deque<std::optional<bool>>> open_;
  std::vector<WatchedWord> words_;
};

double share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

StartGroup score_group(std::string name, std::span<const WatchedWord> words, double threshold) {
  return {.name = std::move(name),
          .words = words.size(),
          .starts = static_cast<std::size_t>(std::count_if(
              words.begin(), words.end(), [](const auto& word) { return word.starts; })),
          .scores = score_starts(words, threshold),
          .best = best_scores(words)};
}

}  // namespace

std::vector<SpokenRun> spoken_runs(std::span<const std::string> lines, std::string_view language) {
  std::vector<SpokenRun> runs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i % kRunLines == 0) {
      runs.emplace_back();
    }
    append_line(runs.back(), lines[i], language);
  }
  return runs;
}

std::vector<WatchedWord> watch_runs(Translator& translator, const Tokenizer& tokenizer,
                                    std::span<const SpokenRun> runs,
                                    const SentenceProgress& progress) {
  Watch watch(translator, tokenizer);
  for (std::size_t next = 0; next < runs.size() || !watch.idle();) {
    while (next < runs.size() && watch.open(runs[next])) {
      ++next;
    }
    if (progress) {
      progress(next * kRunLines);
    }
    watch.tick();
  }
  return watch.words();
}

StartScores score_starts(std::span<const WatchedWord> words, double threshold) {
  std::int64_t found = 0;
  std::int64_t correct = 0;
  std::int64_t starts = 0;
  for (const WatchedWord& word : words) {
    const bool taken = word.probability > threshold;
    found += taken ? 1 : 0;
    starts += word.starts ? 1 : 0;
    correct += taken && word.starts ? 1 : 0;
  }
  return {.threshold = threshold,
          .precision = share(correct, found),
          .recall = share(correct, starts),
          .f1 = share(2 * correct, found + starts)};
}

StartScores best_scores(std::span<const WatchedWord> words) {
  StartScores best;
  for (int i = 1; i < kThresholds; ++i) {
    const StartScores scores = score_starts(words, static_cast<double>(i) / kThresholds);
    if (i == 1 || scores.f1 > best.f1) {
      best = scores;
    }
  }
  return best;
}

std::vector<StartGroup> evaluate_starts(const std::filesystem::path& package,
                                        std::span<const std::filesystem::path> sources,
                                        double threshold, int limit,
                                        const TranslatorOptions& options,
                                        const PartProgress& progress) {
  const TextModel model = open_text_model(package, "full-sentence");
  const PackageDescription& description = model.package.description;
  if (!description.architecture.sentence_starts) {
    throw std::runtime_error(package.string() +
                             " has no classifier of sentence starts; it must be trained with "
                             "sentence_starts: true in its architecture");
  }
  const auto translator = load_translator(package, options);
  if (!translator->info().watches_starts) {
    throw std::runtime_error(
        "this device does not support the classifier of sentence starts; "
        "use --device cpu");
  }
  std::vector<StartGroup> groups;
  std::vector<WatchedWord> all;
  for (const std::filesystem::path& source : sources) {
    const std::string name = source.stem().string();
    std::vector<std::string> lines = read_sentences(source);
    if (limit > 0) {
      lines.resize(std::min(lines.size(), static_cast<std::size_t>(limit)));
    }
    const std::vector<WatchedWord> words =
        watch_runs(*translator, *model.package.tokenizers.source,
                   spoken_runs(lines, description.source_language),
                   progress ? progress(name, lines.size()) : SentenceProgress());
    groups.push_back(score_group(name, words, threshold));
    all.insert(all.end(), words.begin(), words.end());
  }
  groups.push_back(score_group("all", all, threshold));
  return groups;
}

}  // namespace surtitle
