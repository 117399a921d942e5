// Bounds of what cross-attentions predict, the same in training and in streaming.
#pragma once

namespace surtitle {

// An aligned position p lies between these, as in GMA's released computation.
inline constexpr double kMinPosition = 0.9;
inline constexpr double kMaxPosition = 1100;

// A predicted width is at least this, in source tokens: a narrower curve falls between two tokens.
inline constexpr double kMinWidth = 0.1;

// A prior that falls to zero stops here, so that a step always has something to look at.
inline constexpr double kMinPrior = 1e-3;

}  // namespace surtitle
