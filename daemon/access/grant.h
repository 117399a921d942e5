// A grant: roles on channels until a time.
//
// Thread-safety: plain values; all functions may be called from any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

using CalendarSeconds = std::chrono::sys_seconds;

// kAdmin includes all roles, and kSend includes kView: a speaker reads the translation.
enum class Role { kSend, kView, kAdmin };
inline constexpr int kRoles = 3;

std::string_view name(Role role);  // "send"

// A set of roles.
class Roles {
 public:
  Roles() = default;
  static Roles all();
  // Parses "send,view". Throws std::invalid_argument, "must be ...".
  static Roles parse(std::string_view text);

  void add(Role role) { bits_ |= bit(role); }
  bool has(Role role) const {
    const unsigned sends = role == Role::kView ? bit(Role::kSend) : 0U;
    return (bits_ & (bit(role) | sends | bit(Role::kAdmin))) != 0;
  }
  std::string text() const;  // in the form of parse()

 private:
  static unsigned int bit(Role role) { return 1U << static_cast<unsigned int>(role); }
  unsigned int bits_ = 0;
};

struct Grant {
  std::string name;  // the token's name, which is no secret
  Roles roles;
  std::string channels = "*";  // names with commas between them; * matches any characters
  std::optional<CalendarSeconds> expires = std::nullopt;

  bool every_channel() const { return channels == "*"; }
  bool may_use(std::string_view channel) const;
};

// The grant of all clients if authentication is not enabled.
Grant unrestricted_grant();

// Whether the text is a list of channel names or patterns with commas between them.
bool is_channel_pattern(std::string_view text);

// Returns "2026-12-31T23:59:59Z".
std::string to_text(CalendarSeconds time);
// Parses that form. Returns nullopt if the text is no such time.
std::optional<CalendarSeconds> parse_time(const std::string& text);

}  // namespace surtitle
