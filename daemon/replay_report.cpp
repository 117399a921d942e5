#include "daemon/replay_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "daemon/json_writer.h"

namespace surtitle {
namespace {

std::string number(const std::optional<double>& value, int digits) {
  if (!value) {
    return "-";
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, *value);
  return text.data();
}

std::string row(const std::string& name, const std::string& value) {
  std::string line = name;
  line.resize(16, ' ');
  return line + value + "\n";
}

std::string percentiles(std::span<const float> sorted) {
  std::string text;
  for (const int percent : {50, 95, 99}) {
    text += (text.empty() ? "p" : "   p") + std::to_string(percent) + " " +
            number(percentile(sorted, percent / 100.0), 1);
  }
  return text + " ms";
}

// To a thousandth, which is finer than anything here is measured.
std::optional<double> rounded(const std::optional<double>& value) {
  return value ? std::optional(std::round(*value * 1000) / 1000) : value;
}

}  // namespace

std::optional<double> percentile(std::span<const float> sorted, double share) {
  if (sorted.empty()) {
    return std::nullopt;
  }
  const auto rank =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()) - 1e-9));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

void ReplayReport::sent(int words, float lateness_ms) {
  words_ += words;
  lateness_.push_back(lateness_ms);
}

void ReplayReport::completed(const protocol::Sentence& sentence, int tokens,
                             std::span<const float> delays_ms) {
  ++sentences_;
  tokens_ += tokens;
  al_.add(sentence.words.al);
  dal_.add(sentence.words.dal);
  delays_.insert(delays_.end(), delays_ms.begin(), delays_ms.end());
}

double ReplayReport::words_per_second() const {
  return seconds_ > 0 ? static_cast<double>(words_) / seconds_ : 0;
}

std::string ReplayReport::to_table() {
  std::sort(delays_.begin(), delays_.end());
  std::sort(lateness_.begin(), lateness_.end());
  return row("streams", std::to_string(streams_)) + row("sentences", std::to_string(sentences_)) +
         row("words in",
             std::to_string(words_) + ", " + number(words_per_second(), 1) + " a second") +
         row("tokens out", std::to_string(tokens_)) + row("write delay", percentiles(delays_)) +
         row("sent late by", percentiles(lateness_)) + row("AL", number(al_.mean(), 3) + " words") +
         row("DAL", number(dal_.mean(), 3) + " words") + row("errors", std::to_string(errors_));
}

std::string ReplayReport::to_json() {
  std::sort(delays_.begin(), delays_.end());
  JsonWriter delay;
  for (const int percent : {50, 95, 99}) {
    delay.field("p" + std::to_string(percent), rounded(percentile(delays_, percent / 100.0)));
  }
  return JsonWriter()
      .field("streams", streams_)
      .field("sentences", sentences_)
      .field("words_in", words_)
      .field("tokens_out", tokens_)
      .raw_field("delay_ms", delay.take())
      .field("al", rounded(al_.mean()))
      .field("dal", rounded(dal_.mean()))
      .field("errors", errors_)
      .field("words_per_second", rounded(words_per_second()))
      .take();
}

}  // namespace surtitle
