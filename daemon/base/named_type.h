// A number with a type of its own, such as a fence or a sequence number.
//
//   using Fence = NamedType<std::int64_t, struct FenceTag>;
//
// It is made explicitly, compares with its own type only, and prints as its value. The compiler
// therefore rejects a fence in place of a sequence number.
//
// Thread-safety: a plain value.
#pragma once

#include <compare>
#include <ostream>

namespace surtitle {

template <typename Value, typename Tag>
class NamedType {
 public:
  constexpr NamedType() = default;  // 0
  constexpr explicit NamedType(Value value) noexcept : value_(value) {}

  constexpr Value value() const noexcept { return value_; }
  constexpr auto operator<=>(const NamedType&) const = default;
  friend std::ostream& operator<<(std::ostream& out, NamedType named) {
    return out << named.value_;
  }

 private:
  Value value_{};
};

}  // namespace surtitle
