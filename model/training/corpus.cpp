#include "model/training/corpus.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <unordered_map>

#include "model/text/words.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

// The standard does not specify how std::shuffle uses the generator, and training must not depend
// on the library.
template <typename Container>
void shuffle(Container& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    throw std::runtime_error(file.string() + ": cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!is_valid_utf8(line))
      throw std::runtime_error(file.string() + ":" + std::to_string(lines.size() + 1) +
                               ": not UTF-8");
    lines.push_back(std::move(line));
  }
  return lines;
}

// Returns a hash of three numbers (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b * 0xbf58476d1ce4e5b9ULL + c;
  for (const int shift : {30, 27}) {
    x ^= x >> shift;
    x *= shift == 30 ? 0xbf58476d1ce4e5b9ULL : 0x94d049bb133111ebULL;
  }
  return x ^ (x >> 31);
}

// Uniform numbers in [0, 1), determined by a key.
class Uniform {
 public:
  explicit Uniform(std::uint64_t key) : key_(key) {}
  double operator()() { return static_cast<double>(mix(key_, ++drawn_, 0) >> 11) * 0x1p-53; }

 private:
  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
};

// Whether a written word ends a sentence, as far as it shows; nullopt: unknown, as after an
// abbreviation or an ordinal number ("Dr.", "3.").
std::optional<bool> ends_sentence(std::string_view word) {
  constexpr std::size_t kShortestStem = 4;  // bytes; "bzw", "Nr", "St" are shorter
  const auto end = word.find_last_of(".!?");
  if (end == std::string_view::npos) return false;
  // Only quotation marks and brackets may follow: they are no ASCII letters or digits.
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (std::any_of(word.begin() + static_cast<std::ptrdiff_t>(end), word.end(), is_letter))
    return false;
  if (word[end] != '.') return true;
  const auto stem = word.substr(0, end);
  const bool has_number = std::any_of(stem.begin(), stem.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  if (has_number || stem.size() < kShortestStem || stem.find('.') != stem.npos) return std::nullopt;
  return true;
}

// The source of an example, of one line or several, in one form.
class Joined {
 public:
  Joined(TextForm form, const std::string& line) : form_(form) { append(line); }

  void append(const std::string& line) {
    if (form_ == TextForm::kWritten) {
      text_ += (text_.empty() ? "" : " ") + line;
      return;
    }
    if (words_ > 0) before_ = true;
    for (const std::string_view written : split_words(line)) {
      const auto word = spoken_word(written);
      if (!word.empty()) {
        if (words_ > 0 && before_) labels_.push_back({words_, *before_});
        if (words_ > 0 && before_ == true) labelled_ = labels_.size();
        text_ += (words_ > 0 ? " " : "") + word;
        ++words_;
        before_ = false;
      }
      // Punctuation alone belongs to the word before it.
      const auto end = ends_sentence(written);
      if (words_ > 0 && end != false) before_ = end;
    }
  }

  const std::string& text() const { return text_; }
  std::vector<SentenceStart> starts() const {
    return {labels_.begin(), labels_.begin() + static_cast<std::ptrdiff_t>(labelled_)};
  }

 private:
  TextForm form_;
  std::string text_;
  std::int64_t words_ = 0;
  std::optional<bool> before_ = false;  // whether a sentence ended before the next word
  std::vector<SentenceStart> labels_;
  std::size_t labelled_ = 0;  // labels up to the last start
};

// Tokens of a text; each word is encoded once.
class WordCache {
 public:
  explicit WordCache(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // `last_tokens`, if given, receives the index of the last token of each word.
  std::vector<int> encode(const std::string& text,
                          std::vector<std::int64_t>* last_tokens = nullptr) {
    std::vector<int> tokens;
    for (const std::string_view word : split_words(text)) {
      const auto [entry, is_new] = words_.try_emplace(std::string(word));
      if (is_new) entry->second = tokenizer_.encode_word(word);
      tokens.insert(tokens.end(), entry->second.begin(), entry->second.end());
      if (last_tokens) last_tokens->push_back(static_cast<std::int64_t>(tokens.size()) - 1);
    }
    return tokens;
  }

 private:
  const Tokenizer& tokenizer_;
  std::unordered_map<std::string, std::vector<int>> words_;
};

}  // namespace

Corpus::Corpus(std::span<const ParallelText> texts) {
  for (const auto& text : texts) {
    texts_.push_back({text, read_lines(text.source), read_lines(text.target)});
    const auto& read = texts_.back();
    if (read.sources.size() != read.targets.size())
      throw std::runtime_error(text.source.string() + " has " +
                               std::to_string(read.sources.size()) + " lines, " +
                               text.target.string() + " has " +
                               std::to_string(read.targets.size()) + "; they must be equal");
  }
}

TextForm Corpus::draw_form(const Text& text, double unit) {
  const auto& shares = text.options.source_forms;
  double all = 0;
  for (const auto& one : shares) all += one.share;
  TextForm form = shares.back().form;
  double below = 0;
  for (const auto& one : shares) {
    below += one.share;
    if (unit * all >= below) continue;
    form = one.form;
    break;
  }
  return form;
}

void Corpus::draw(std::uint64_t seed, std::uint64_t epoch, const Receive& receive) const {
  for (std::size_t number = 0; number < texts_.size(); ++number) {
    const auto& text = texts_[number];
    const auto is_line = [&](std::size_t i) {
      return i < text.sources.size() && !text.sources[i].empty() && !text.targets[i].empty();
    };
    for (std::size_t i = 0; i < text.sources.size(); ++i) {
      if (!is_line(i)) continue;
      Uniform uniform(mix(mix(seed, epoch, number), i, 0));
      const auto times = static_cast<int>(std::floor(text.options.weight + uniform()));
      for (int copy = 0; copy < times; ++copy) {
        const double form = uniform();
        const double join = uniform();
        Joined source(draw_form(text, form), text.sources[i]);
        std::string target = text.targets[i];
        // Half of the joined examples have two lines, half three.
        const int further = join < text.options.joined / 2 ? 2 : join < text.options.joined ? 1 : 0;
        for (std::size_t next = i + 1; next <= i + static_cast<std::size_t>(further); ++next) {
          if (!is_line(next)) break;
          source.append(text.sources[next]);
          target += ' ' + text.targets[next];
        }
        receive({source.text(), std::move(target), source.starts()});
      }
    }
  }
}

std::vector<TokenPair> encode_epoch(const Corpus& corpus, const Tokenizers& tokenizers,
                                    int max_tokens, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<TokenPair> pairs;
  WordCache source_words(*tokenizers.source);
  WordCache target_words(*tokenizers.target);
  const auto limit = static_cast<std::size_t>(max_tokens);
  corpus.draw(seed, epoch, [&](const Corpus::Example& example) {
    TokenPair pair;
    std::vector<std::int64_t> last_tokens;
    pair.source = source_words.encode(example.source, &last_tokens);
    pair.target = target_words.encode(example.target);
    for (const auto& word : example.starts)
      pair.starts.push_back({last_tokens[static_cast<std::size_t>(word.index)], word.starts});
    pair.source_words = static_cast<int>(last_tokens.size());
    if (pair.source.empty() || pair.target.empty()) return;
    pair.source.push_back(kEndOfSentence);
    if (pair.source.size() > limit || pair.target.size() + 1 > limit) return;
    pairs.push_back(std::move(pair));
  });
  return pairs;
}

int trained_words(std::span<const TokenPair> pairs) {
  std::vector<int> words;
  for (const auto& pair : pairs) words.push_back(pair.source_words);
  const auto nth = words.begin() + static_cast<std::ptrdiff_t>(words.size() * 19 / 20);
  std::nth_element(words.begin(), nth, words.end());
  return std::max(*nth, 1);
}

std::vector<BatchIndex> make_batches(std::span<const TokenPair> pairs, int batch_tokens,
                                     std::uint64_t seed, std::uint64_t epoch) {
  std::mt19937_64 random(seed * 1'000'003 + epoch);
  std::vector<std::uint32_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, random);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t i) {
      return std::pair(pairs[i].target.size(), pairs[i].source.size());
    };
    return key(a) < key(b);
  });
  std::vector<BatchIndex> batches;
  std::size_t longest = 0;
  for (const auto index : order) {
    const auto& pair = pairs[index];
    const auto length = std::max({longest, pair.source.size(), pair.target.size() + 1});
    const bool full = batches.empty() ||
                      length * (batches.back().size() + 1) > static_cast<std::size_t>(batch_tokens);
    if (full) batches.emplace_back();
    longest = full ? std::max(pair.source.size(), pair.target.size() + 1) : length;
    batches.back().push_back(index);
  }
  shuffle(batches, random);
  return batches;
}

}  // namespace surtitle
