// Numbers in JSON output.
//
// A number is the shortest text that reads back as the same double; whole numbers have no point.
// Thread-safety: json_number() may be called from any thread.
#pragma once

#include <optional>
#include <string>

namespace surtitle {

// Returns "null" for nullopt, infinities and NaN, which JSON lacks.
std::string json_number(std::optional<double> number);

}  // namespace surtitle
