// The white space of recognisers' output: that of ASCII.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string_view>

namespace surtitle {

inline constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

inline bool is_space(char c) { return kWhiteSpace.find(c) != kWhiteSpace.npos; }

}  // namespace surtitle
