// The source and the target of one sentence whose translator may have read ahead.
//
// A source token is committed, or it is ahead: it belongs to words that may still change. The
// translator reads both. A target token that has seen committed source alone is released. The
// others are held, and are released without another step once their source is committed.
//
// The tokens of a translator depend on the source alone. So the released tokens are those of a
// translator that never read ahead. If the committed source differs from the source ahead, the
// translator begins the sentence again, with the released tokens forced.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "daemon/translation/translation_command.h"

namespace surtitle {

class Lookahead {
 public:
  Lookahead() = default;
  // `forced`: the target tokens with which the sentence begins.
  explicit Lookahead(std::vector<int> forced) : target_(std::move(forced)) {}

  // Both return the tokens that the translator must read now, or nullopt if it must begin again.
  // If they throw, nothing has changed. The tokens ahead replace those of the call before.
  std::optional<std::vector<int>> commit(std::span<const int> tokens);
  std::optional<std::vector<int>> read_ahead(std::span<const int> tokens);
  // The source is complete. Returns false if the translator must begin again.
  bool finish();

  // Adds an event of the translator. REQUIRES: reserve() for as many events.
  void add(TranslationEvent event) noexcept;
  void reserve(std::size_t events);
  // Moves the released events to the end of `events`. REQUIRES: it has room for held() of them.
  void release(std::vector<TranslationEvent>& events) noexcept;
  std::size_t held() const noexcept { return held_.size(); }

  // The tokens that the translator reads, and is forced to write, if it begins again.
  const std::vector<int>& source() const noexcept { return source_; }
  const std::vector<int>& target() const noexcept { return target_; }
  std::size_t committed() const noexcept { return committed_; }
  bool is_ahead() const noexcept { return source_.size() > committed_; }

  // Returns the held target tokens that have seen no more than the present source.
  std::vector<int> draft() const;

 private:
  std::optional<std::vector<int>> follow_committed(std::span<const int> tokens);
  bool is_released(const TranslationEvent& event) const noexcept;

  std::vector<int> source_;  // as the translator has read it: committed, then ahead
  std::size_t committed_ = 0;
  std::size_t ahead_ = 0;  // of the last read_ahead(); the translator may have read more
  bool finished_ = false;
  std::vector<int> target_;  // released, with the forced tokens
  std::vector<TranslationEvent> held_;
};

}  // namespace surtitle
