// What a sender says from beginning to end, drawn at random.
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

// What is said of a stream for good, without what depends on time: by track, and for the source
// words, one line for each message.
using Told = std::map<std::string, std::vector<std::string>>;

// `texts` by event. `exactly`: where tokens are written, too, not only which.
Told told(const std::map<std::int64_t, std::string>& texts, bool exactly);

// A policy that looks at what is finished meanwhile writes at other places each time.
bool keeps_time(const Script& script);

}  // namespace surtitle
