// GMA's aligned position p lies between these, as in the released computation.
#pragma once

namespace surtitle {

inline constexpr double kMinPosition = 0.9;
inline constexpr double kMaxPosition = 1100;

}  // namespace surtitle
