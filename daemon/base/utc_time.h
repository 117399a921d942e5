// Calendar times as text, "2026-11-22T03:36:55.123Z".
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/environment.h"

namespace surtitle {

std::string utc_time(CalendarTime time);

// Returns the time of milliseconds since 1970, UTC, at most that of the year 2200.
CalendarTime calendar_time(std::int64_t milliseconds);

// Returns the time that utc_time() has written, or nullopt if the text is not one.
std::optional<CalendarTime> parse_utc_time(std::string_view text);

}  // namespace surtitle
