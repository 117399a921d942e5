#include "daemon/streams/stream_stats.h"

#include <cmath>
#include <variant>

namespace surtitle {
namespace {

double to_tenths(double value) { return std::round(value * 10) / 10; }

}  // namespace

std::optional<double> to_milliseconds(const std::optional<Seconds>& delay) {
  return delay ? std::optional(to_tenths(delay->count() * 1000)) : std::nullopt;
}

void StreamStats::on_message(const protocol::ServerMessage& message) {
  if (const auto* write = std::get_if<protocol::Write>(&message)) {
    words_out_ += write->index == 0 || write->text.starts_with(' ') ? 1 : 0;
  } else if (std::holds_alternative<protocol::Sentence>(message)) {
    ++sentences_;
  }
}

void StreamStats::completed(const LatencyScores& scores) {
  al_ += scores.al.value_or(0);
  al_count_ += scores.al ? 1 : 0;
}

void StreamStats::add_to(LogFields& fields) const {
  fields.emplace_back("words_out", words_out_);
  fields.emplace_back("sentences", sentences_);
  if (al_count_ > 0) {
    fields.emplace_back("al_words", to_tenths(al_ / al_count_));
  }
  if (const auto half = to_milliseconds(delays_.quantile(0.5))) {
    fields.emplace_back("delay_p50_ms", *half);
    fields.emplace_back("delay_p99_ms", *to_milliseconds(delays_.quantile(0.99)));
  }
  fields.emplace_back("bytes_in", static_cast<std::int64_t>(bytes_in_));
}

}  // namespace surtitle
