#include "daemon/evaluation/evaluation.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "metrics/chrf.h"
#include "model/text/tokenizer.h"
#include "model/text/unspaced.h"
#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

std::vector<double> to_doubles(std::span<const int> numbers) {
  return {numbers.begin(), numbers.end()};
}

LatencyScores token_latency(const OfflineTranslation& translation, EndOfSentence end_of_sentence) {
  std::vector<double> delays = to_doubles(translation.reads);
  if (end_of_sentence == EndOfSentence::kCounted) {
    return latency(delays, translation.source_tokens + 1);
  }
  delays.resize(translation.tokens.size());
  for (double& delay : delays) {
    delay = std::min<double>(delay, translation.source_tokens);
  }
  return latency(delays, translation.source_tokens);
}

bool has_unspaced(const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(), begins_unspaced);
}

std::vector<std::string> all_spaced(std::span<const std::string> texts) {
  std::vector<std::string> spaced;
  std::transform(texts.begin(), texts.end(), std::back_inserter(spaced), spaced_characters);
  return spaced;
}

}  // namespace

void TestSet::append(TestSet other) {
  const auto move_to = [](std::vector<std::string>& from, std::vector<std::string>& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  move_to(other.sources, sources);
  move_to(other.references, references);
  move_to(other.groups, groups);
}

int reference_length(std::string_view reference) {
  const std::vector<std::string_view> words = split_words(reference);
  return has_unspaced(words) ? static_cast<int>(words.size()) : count_pieces(reference);
}

std::string spaced_words(const std::string& text) {
  const std::vector<std::string_view> words = split_words(text);
  if (!has_unspaced(words)) {
    return text;
  }
  std::string spaced;
  for (const std::string_view word : words) {
    spaced.append(spaced.empty() ? "" : " ").append(word);
  }
  return spaced;
}

std::string spaced_characters(const std::string& text) {
  std::string spaced;
  for (std::string_view rest = text; !rest.empty();) {
    const auto length = static_cast<std::size_t>(std::max(first_character_length(rest), 1));
    const std::string_view character = rest.substr(0, length);
    const char32_t code = length > 1 ? code_point(character) : 0;
    const bool alone =
        is_unspaced(code) || (code >= 0x3000 && code < 0x3040) || (code >= 0xFF00 && code < 0xFFF0);
    spaced.append(alone ? " " : "").append(character).append(alone ? " " : "");
    rest.remove_prefix(length);
  }
  return spaced;
}

std::vector<std::string> read_sentences(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    throw std::runtime_error(file.string() + ": cannot be read");
  }
  std::vector<std::string> sentences;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (!is_valid_utf8(line)) {
      throw std::runtime_error(file.string() + ":" + std::to_string(sentences.size() + 1) +
                               ": the line is not UTF-8");
    }
    sentences.push_back(std::move(line));
  }
  if (sentences.empty()) {
    throw std::runtime_error(file.string() + ": the file is empty");
  }
  return sentences;
}

TestSet read_test_set(const std::filesystem::path& source, const std::filesystem::path& reference,
                      int limit, TextForm form) {
  TestSet set{read_sentences(source), read_sentences(reference)};
  if (set.sources.size() != set.references.size()) {
    throw std::runtime_error(source.string() + " has " + std::to_string(set.sources.size()) +
                             " lines but " + reference.string() + " has " +
                             std::to_string(set.references.size()));
  }
  if (limit > 0 && static_cast<std::size_t>(limit) < set.sources.size()) {
    set.sources.resize(static_cast<std::size_t>(limit));
    set.references.resize(static_cast<std::size_t>(limit));
  }
  if (form == TextForm::kSpoken) {
    for (std::string& text : set.sources) {
      text = spoken_text(text);
    }
  }
  return set;
}

Evaluation score_translations(std::span<const OfflineTranslation> translations,
                              std::span<const std::string> references,
                              EndOfSentence end_of_sentence) {
  Evaluation evaluation;
  evaluation.end_of_sentence = end_of_sentence;
  evaluation.sentences = translations.size();
  std::vector<std::string> texts;
  std::vector<LatencyScores> words;
  std::vector<LatencyScores> tokens;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    const OfflineTranslation& translation = translations[i];
    texts.push_back(translation.text);
    evaluation.target_tokens += static_cast<std::int64_t>(translation.tokens.size());
    words.push_back(latency(to_doubles(translation.word_delays), translation.source_words,
                            reference_length(references[i])));
    tokens.push_back(token_latency(translation, end_of_sentence));
  }
  evaluation.bleu = corpus_bleu(all_spaced(texts), all_spaced(references));
  evaluation.chrf = corpus_chrf(texts, references);
  evaluation.words = mean(words);
  evaluation.tokens = mean(tokens);
  return evaluation;
}

std::vector<double> resampled_bleu(std::span<const OfflineTranslation> translations,
                                   std::span<const std::string> references, int resamples) {
  std::vector<std::string> texts;
  for (const OfflineTranslation& translation : translations) texts.push_back(translation.text);
  return resampled_bleu(all_spaced(texts), all_spaced(references), resamples);
}

std::vector<GroupScores> score_groups(std::span<const OfflineTranslation> translations,
                                      const TestSet& test_set, EndOfSentence end_of_sentence) {
  struct Group {
    std::string name;
    std::vector<OfflineTranslation> translations;
    std::vector<std::string> references;
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < test_set.groups.size(); ++i) {
    const std::string& name = test_set.groups[i];
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& one) { return one.name == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{name, {}, {}});
    group->translations.push_back(translations[i]);
    group->references.push_back(test_set.references[i]);
  }
  std::vector<GroupScores> scores;
  for (const Group& group : groups) {
    scores.push_back(
        {group.name, score_translations(group.translations, group.references, end_of_sentence)});
  }
  return scores;
}

std::vector<Instance> to_instances(std::span<const OfflineTranslation> translations,
                                   const TestSet& test_set) {
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    Instance instance;
    instance.index = static_cast<std::int64_t>(i);
    instance.delays = to_doubles(translations[i].word_delays);
    instance.source_length = translations[i].source_words;
    instance.reference_length = reference_length(test_set.references[i]);
    instance.prediction = translations[i].text;
    instance.reference = test_set.references[i];
    instance.source = test_set.sources[i];
    instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace surtitle
