#include "daemon/base/utc_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "daemon/base/text.h"

namespace surtitle {
namespace {

constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2199;  // nanoseconds since 1970 have no room for much later ones

}  // namespace

std::string utc_time(CalendarTime time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto part = std::chrono::floor<std::chrono::milliseconds>(time - whole);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(whole);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, static_cast<int>(part.count()));
  return text.data();
}

CalendarTime calendar_time(std::int64_t milliseconds) {
  constexpr auto kEnd = std::chrono::sys_days(std::chrono::year(kLastYear + 1) / 1 / 1);
  constexpr std::int64_t kMost = std::chrono::milliseconds(kEnd.time_since_epoch()).count();
  return CalendarTime(std::chrono::milliseconds(std::clamp(milliseconds, std::int64_t{0}, kMost)));
}

std::optional<CalendarTime> parse_utc_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) {
    return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t digits) {
    return parse_number(text.substr(at, digits), 0, 9999).value_or(-1);
  };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  const int year = static_cast<int>(date.year());
  if (!date.ok() || year < kFirstYear || year > kLastYear) {
    return std::nullopt;
  }
  const CalendarTime time = std::chrono::sys_days(date) + std::chrono::hours(number(11, 2)) +
                            std::chrono::minutes(number(14, 2)) +
                            std::chrono::seconds(number(17, 2)) +
                            std::chrono::milliseconds(number(20, 3));
  return utc_time(time) == text ? std::optional(time) : std::nullopt;
}

}  // namespace surtitle
