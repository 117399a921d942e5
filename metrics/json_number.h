// Numbers in JSON output: shortest text that reads back as the same double, whole numbers without a
// point.
#pragma once

#include <optional>
#include <string>

namespace surtitle {

// "null" for nothing, and for infinities and NaN, which JSON does not have.
std::string json_number(std::optional<double> number);

}  // namespace surtitle
