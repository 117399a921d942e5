#include "daemon/evaluation/training_progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace surtitle {
namespace {

// Formats a number for JSON; null if it is not finite.
std::string json(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", number);
  return std::isfinite(number) ? text.data() : "null";
}

}  // namespace

TrainingProgress::TrainingProgress(const std::filesystem::path& log)
    : log_(log, std::ios::app), terminal_(isatty(STDERR_FILENO) != 0) {
  if (!log_) throw std::runtime_error(log.string() + ": cannot be written");
}

void TrainingProgress::show(const TrainProgress& progress) {
  if (progress.checkpoint.empty()) {
    show_speed(progress);
  } else {
    show_checkpoint(progress);
  }
}

void TrainingProgress::show_speed(const TrainProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ && now < next_line_) return;
  next_line_ = now + std::chrono::minutes(1);
  const auto left = static_cast<long>(progress.seconds_left);
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                "%ld/%ld  epoch %ld  loss %.3f  %.0f tokens/s  ETA %ld:%02ld:%02ld",
                static_cast<long>(progress.update), static_cast<long>(progress.max_updates),
                static_cast<long>(progress.epoch), progress.loss, progress.tokens_per_second,
                left / 3600, left / 60 % 60, left % 60);
  const double share =
      static_cast<double>(progress.update) / static_cast<double>(progress.max_updates);
  const std::string line = with_bar(share, text.data());
  std::fprintf(stderr, "%s%s%s", start_of_line(), line.c_str(), terminal_ ? "" : "\n");
}

// The bar fills the columns that the text leaves. The line never wraps, because a part that has
// moved to the line above cannot be overwritten.
std::string TrainingProgress::with_bar(double share, const std::string& text) const {
  constexpr std::size_t kWidest = 24;
  const std::size_t columns = this->columns();
  const std::size_t frame = std::string_view("[]  ").size();  // the last column stays free
  if (text.size() + frame + 1 > columns) return text.substr(0, columns - 1);
  std::string bar(std::min(columns - frame - text.size(), kWidest), '.');
  const auto done = static_cast<std::size_t>(share * static_cast<double>(bar.size()));
  bar.replace(0, done, done, '#');
  return "[" + bar + "] " + text;
}

std::size_t TrainingProgress::columns() const {
  constexpr std::size_t kWithoutTerminal = 100;
  winsize size{};
  const bool known = terminal_ && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 1 ? size.ws_col : kWithoutTerminal;
}

void TrainingProgress::show_checkpoint(const TrainProgress& progress) {
  const double perplexity = progress.dev_perplexity.value_or(0);
  std::fprintf(stderr, "%s%s: loss %.3f, %.0f tokens/s, dev perplexity %.3f", start_of_line(),
               progress.checkpoint.filename().c_str(), progress.loss, progress.tokens_per_second,
               perplexity);
  log_ << "{\"update\": " << progress.update << ", \"epoch\": " << progress.epoch
       << ", \"loss\": " << json(progress.loss)
       << ", \"learning_rate\": " << json(progress.learning_rate)
       << ", \"tokens_per_second\": " << json(progress.tokens_per_second)
       << ", \"tokens_per_cpu_second\": " << json(progress.tokens_per_cpu_second)
       << ", \"dev_perplexity\": " << json(perplexity);
  if (const auto& score = progress.dev_score) {
    std::fprintf(stderr, ", BLEU %.2f, AL %.2f words", score->bleu, score->average_lagging);
    log_ << ", \"dev_bleu\": " << json(score->bleu)
         << ", \"dev_al\": " << json(score->average_lagging);
  }
  std::fputc('\n', stderr);
  log_ << "}" << std::endl;
}

}  // namespace surtitle
