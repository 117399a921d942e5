#include "daemon/recognisers/skipped_input.h"

#include <stdexcept>
#include <utility>

namespace surtitle {
namespace {

constexpr std::size_t kMaxKinds = 10;  // reported

}  // namespace

void SkippedInput::skip(std::string_view kind, const std::string& what) {
  ++count_;
  if (kind != kMessage && unreadable_++ == 0) {
    first_ = what;
  }
  if (unreadable_ == kMaxUnreadable && !is_readable_) {
    throw std::runtime_error(what + "; none of the first " + std::to_string(kMaxUnreadable) +
                             " lines or messages can be read");
  }
  if (kinds_.size() < kMaxKinds && kinds_.emplace(kind).second) {
    on_hint_(what + "; it is skipped");
  }
}

void SkippedInput::finish() {
  if (unreadable_ > 0 && !is_readable_) {
    throw std::runtime_error(first_ + "; nothing of the input can be read");
  }
  if (const int count = std::exchange(count_, 0); count > 0) {
    on_hint_(input_ + ": skipped in total: " + std::to_string(count) +
             (count == 1 ? " line or message" : " lines or messages"));
  }
}

}  // namespace surtitle
