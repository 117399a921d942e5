#include "daemon/replay/replay_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"

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
  for (const int percent : kPercents) {
    text += (text.empty() ? "p" : "   p") + std::to_string(percent) + " " +
            number(percentile(sorted, percent / 100.0), 1);
  }
  return text + " ms";
}

}  // namespace

std::optional<double> rounded(const std::optional<double>& value) {
  return value ? std::optional(std::round(*value * 1000) / 1000) : value;
}

std::optional<double> percentile(std::span<const float> sorted, double share) {
  if (sorted.empty()) {
    return std::nullopt;
  }
  const auto rank =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()) - 1e-9));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

void ReplayReport::sent(int words, std::optional<float> lateness_ms) {
  words_ += words;
  if (lateness_ms) {
    lateness_.push_back(*lateness_ms);
  }
}

void ReplayReport::completed(const protocol::Sentence& sentence, int tokens,
                             std::span<const float> delays_ms) {
  ++sentences_;
  tokens_ += tokens;
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    scores_.at(i).add(sentence.words.*kScoreColumns.at(i).sent);
  }
  delays_.insert(delays_.end(), delays_ms.begin(), delays_ms.end());
}

// Returns nullopt for an offline run, which has no time.
std::optional<double> ReplayReport::words_per_second() const {
  return seconds_ > 0 ? std::optional(static_cast<double>(words_) / seconds_) : std::nullopt;
}

std::string ReplayReport::to_table(Scores scores) {
  std::sort(delays_.begin(), delays_.end());
  std::sort(lateness_.begin(), lateness_.end());
  std::string table =
      row("streams", std::to_string(streams_)) + row("sentences", std::to_string(sentences_)) +
      row("words in",
          std::to_string(words_) +
              (words_per_second() ? ", " + number(words_per_second(), 1) + " per second" : "")) +
      row("tokens out", std::to_string(tokens_)) + row("write delay", percentiles(delays_)) +
      row("sent late by", percentiles(lateness_));
  for (std::size_t i = 0; scores == Scores::kShown && i < scores_.size(); ++i) {
    table +=
        row(kScoreColumns.at(i).name, number(scores_.at(i).mean(), 3) + kScoreColumns.at(i).unit);
  }
  if (overloaded_ > 0) {
    table += row("overloaded", counted(static_cast<std::size_t>(overloaded_), "time"));
  }
  return table + row("errors", std::to_string(errors_));
}

std::string ReplayReport::to_json(const std::string& ms) {
  std::sort(delays_.begin(), delays_.end());
  JsonWriter delay;
  for (const int percent : {50, 95, 99}) {
    delay.field("p" + std::to_string(percent), rounded(percentile(delays_, percent / 100.0)));
  }
  JsonWriter json;
  json.field("streams", streams_)
      .field("sentences", sentences_)
      .field("words_in", words_)
      .field("tokens_out", tokens_)
      .raw_field("delay_ms", delay.finish());
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    json.field(kScoreColumns.at(i).key, rounded(scores_.at(i).mean()));
  }
  json.field("errors", errors_)
      .field("overloaded", overloaded_)
      .field("words_per_second", rounded(words_per_second()));
  if (!ms.empty()) {
    json.raw_field("ms", ms);
  }
  return json.finish();
}

}  // namespace surtitle
