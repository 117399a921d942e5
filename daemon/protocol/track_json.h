// Tracks as JSON: a list of {"name", "target", "model", "policy"}.
//
// Messages and stream logs contain such lists.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/base/json_fields.h"
#include "daemon/protocol/protocol.h"

namespace surtitle::protocol {

std::string tracks_json(const std::vector<Track>& tracks);

// Reads the field `tracks`. If it is invalid, the error is in `fields`.
std::vector<Track> read_tracks(JsonFields& fields);

}  // namespace surtitle::protocol
