// A grant: roles, on channels, until a time.
//
// Thread-safety: plain values.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

using CalendarSeconds = std::chrono::sys_seconds;

// None includes another but admin, which includes all.
enum class Role { kSend, kView, kAdmin };
inline constexpr int kRoles = 3;

std::string_view name(Role role);  // "send"

// A set of roles.
class Roles {
 public:
  Roles() = default;
  static Roles all();
  // "send,view". Throws std::invalid_argument, "must be ...".
  static Roles parse(std::string_view text);

  void add(Role role) { bits_ |= bit(role); }
  bool has(Role role) const { return (bits_ & (bit(role) | bit(Role::kAdmin))) != 0; }
  std::string text() const;  // what parse() takes

 private:
  static unsigned int bit(Role role) { return 1U << static_cast<unsigned int>(role); }
  unsigned int bits_ = 0;
};

struct Grant {
  std::string name;  // of the token; no secret
  Roles roles;
  std::string channels = "*";  // names with a comma between; * stands for any characters
  std::optional<CalendarSeconds> expires = std::nullopt;

  bool every_channel() const { return channels == "*"; }
  bool may_use(std::string_view channel) const;
};

// The grant of all clients if authentication is not enabled.
Grant unrestricted_grant();

// Whether the text is names of channels, or patterns, with a comma between.
bool is_channel_pattern(std::string_view text);

// "2026-12-31T23:59:59Z", and the inverse; nothing where the text is no such time.
std::string to_text(CalendarSeconds time);
std::optional<CalendarSeconds> parse_time(const std::string& text);

}  // namespace surtitle
