// The messages of a sender from beginning to end, drawn at random.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "tests/simulation/simulation.h"

namespace surtitle {

struct Script {
  protocol::Start start;
  std::vector<protocol::ClientMessage> messages;  // the n-th has seq n + 1
};

Script make_script(Rng& rng, const std::string& channel);

// The final messages of a stream without what depends on time: one line for each, by track. The
// source words and the revisions have keys of their own.
using Told = std::map<std::string, std::vector<std::string>>;

// `texts`: by event. `exactly`: also where tokens are written, not only which.
Told told(const std::map<std::int64_t, std::string>& texts, bool exactly);

// Whether every run writes at the same places. `auto` does not: it depends on the sentences that
// are finished by then.
bool keeps_time(const Script& script);

}  // namespace surtitle
