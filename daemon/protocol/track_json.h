// The tracks of a stream as JSON: a list of {"name", "target", "model", "policy"}, in messages and
// in the logs of streams.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "daemon/base/json_fields.h"
#include "daemon/protocol/protocol.h"

namespace surtitle::protocol {

std::string tracks_json(const std::vector<Track>& tracks);

// Of the field `tracks`; what is wrong is the fields' error.
std::vector<Track> read_tracks(JsonFields& fields);

}  // namespace surtitle::protocol
