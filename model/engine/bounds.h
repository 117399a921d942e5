// Bounds of predicted alignments, the same in training and in streaming.
#pragma once

namespace surtitle {

// Bounds of an aligned position p, in source tokens, as in GMA's released computation.
inline constexpr double kMinPosition = 0.9;
inline constexpr double kMaxPosition = 1100;

// Lower bound of a predicted width, in source tokens: a narrower curve falls between two tokens.
inline constexpr double kMinWidth = 0.1;

// Lower bound of a prior that falls to zero, so that the weights of a step never all vanish.
inline constexpr double kMinPrior = 1e-3;

}  // namespace surtitle
