// Formats the scores of `surtitle evaluate --sentence-starts`.
#pragma once

#include <span>
#include <string>

#include "daemon/evaluation/sentence_starts.h"

namespace surtitle {

// A row for each text, and the object of --json.
std::string to_table(std::span<const StartGroup> groups);
std::string to_json(std::span<const StartGroup> groups);

}  // namespace surtitle
