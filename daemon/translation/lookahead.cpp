#include "daemon/translation/lookahead.h"

#include <algorithm>
#include <iterator>

namespace surtitle {

std::optional<std::vector<int>> Lookahead::commit(std::span<const int> tokens) {
  auto more = follow_committed(tokens);
  committed_ += tokens.size();
  ahead_ -= std::min(ahead_, tokens.size());
  return more;
}

std::optional<std::vector<int>> Lookahead::read_ahead(std::span<const int> tokens) {
  auto more = follow_committed(tokens);
  ahead_ = tokens.size();
  return more;
}

// Makes the tokens follow the committed source. Tokens ahead that the translator has read besides
// them stay.
std::optional<std::vector<int>> Lookahead::follow_committed(std::span<const int> tokens) {
  const std::span<const int> known = std::span<const int>(source_).subspan(committed_);
  const auto common = static_cast<std::ptrdiff_t>(std::min(known.size(), tokens.size()));
  const bool same = std::equal(tokens.begin(), tokens.begin() + common, known.begin());
  std::vector<int> more(tokens.begin() + (same ? common : 0), tokens.end());
  source_.reserve(committed_ + std::max(known.size(), tokens.size()));
  if (!same) {
    source_.resize(committed_);
    held_.clear();
  }
  source_.insert(source_.end(), more.begin(), more.end());
  return same ? std::optional(std::move(more)) : std::nullopt;
}

bool Lookahead::finish() {
  finished_ = true;
  ahead_ = 0;
  if (!is_ahead()) {
    return true;
  }
  source_.resize(committed_);
  held_.clear();
  return false;
}

void Lookahead::reserve(std::size_t events) {
  held_.reserve(held_.size() + events);
  target_.reserve(target_.size() + held_.size() + events);
}

void Lookahead::add(TranslationEvent event) noexcept { held_.push_back(std::move(event)); }

void Lookahead::release(std::vector<TranslationEvent>& events) noexcept {
  const auto rest = std::find_if_not(held_.begin(), held_.end(),
                                     [this](const auto& event) { return is_released(event); });
  for (auto event = held_.begin(); event != rest; ++event) {
    if (!event->end && !event->start) {
      target_.push_back(event->token);
    }
    events.push_back(std::move(*event));
  }
  held_.erase(held_.begin(), rest);
}

bool Lookahead::is_released(const TranslationEvent& event) const noexcept {
  return finished_ || static_cast<std::size_t>(event.read) <= committed_;
}

std::vector<int> Lookahead::draft() const {
  std::vector<int> tokens;
  for (const TranslationEvent& event : held_) {
    if (static_cast<std::size_t>(event.read) > committed_ + ahead_) {
      break;
    }
    tokens.push_back(event.token);
  }
  return tokens;
}

}  // namespace surtitle
