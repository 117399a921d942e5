#include "daemon/access/grant.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <stdexcept>

#include "daemon/protocol/protocol.h"

namespace surtitle {
namespace {

constexpr const char* kTimeForm = "%Y-%m-%dT%H:%M:%SZ";

// Whether `holds` returns true for each part between commas. Stops at the first part for which it
// does not.
template <class Holds>
bool all_parts(std::string_view text, Holds holds) {
  while (true) {
    const std::size_t comma = text.find(',');
    if (!holds(text.substr(0, comma))) {
      return false;
    }
    if (comma == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(comma + 1);
  }
}

// Matches the shortest run for each *, and extends the run of the last * on a mismatch. The cost is
// quadratic at worst, which is no problem for names of 64 characters.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

std::string_view name(Role role) {
  constexpr std::array<std::string_view, kRoles> kNames{"send", "view", "admin"};
  return kNames.at(static_cast<std::size_t>(role));
}

Roles Roles::all() {
  Roles roles;
  roles.add(Role::kAdmin);
  return roles;
}

Roles Roles::parse(std::string_view text) {
  Roles roles;
  const bool known = all_parts(text, [&](std::string_view part) {
    for (int i = 0; i < kRoles; ++i) {
      if (const Role role = static_cast<Role>(i); surtitle::name(role) == part) {
        roles.add(role);
        return true;
      }
    }
    return false;
  });
  if (!known) {
    throw std::invalid_argument("must be send, view or admin, or several with a comma between");
  }
  return roles;
}

std::string Roles::text() const {
  std::string text;
  for (int i = 0; i < kRoles; ++i) {
    if (const Role role = static_cast<Role>(i); (bits_ & bit(role)) != 0) {
      text.append(text.empty() ? "" : ",").append(surtitle::name(role));
    }
  }
  return text;
}

bool Grant::may_use(std::string_view channel) const {
  return !all_parts(channels, [&](std::string_view pattern) { return !matches(pattern, channel); });
}

Grant unrestricted_grant() { return {"anybody", Roles::all()}; }

bool is_channel_pattern(std::string_view text) {
  return all_parts(text, [](std::string_view part) {
    std::string name(part);
    std::replace(name.begin(), name.end(), '*', '-');
    return protocol::is_channel_name(name);
  });
}

std::string to_text(CalendarSeconds time) {
  const std::time_t seconds = time.time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), kTimeForm, &parts)};
}

std::optional<CalendarSeconds> parse_time(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), kTimeForm, &parts);
  if (end == nullptr || *end != '\0') {
    return std::nullopt;
  }
  const CalendarSeconds time{std::chrono::seconds(timegm(&parts))};
  // timegm() normalises impossible dates such as 31 February; they are rejected here.
  return to_text(time) == text ? std::optional(time) : std::nullopt;
}

}  // namespace surtitle
