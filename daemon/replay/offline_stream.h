// Streams without a daemon: the daemon's own plan, session and batching loop in this process, on a
// clock that is the log's.
//
// Words come at the log's times and a translation takes no time at all: after each message all is
// written that the policy allows. So a run depends on the talk, the model and the policy alone, and
// its words are the daemon's.
//
// Thread-safety: none; one owner.
#pragma once

#include <string>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "daemon/replay/offline_models.h"
#include "daemon/replay/recorded_run.h"
#include "daemon/replay/replay_report.h"
#include "daemon/replay/timed_transcript.h"

namespace surtitle {

// As a stream whose `start` is the one given and which says the talk once; sentences end after a
// silence of the log's, as the daemon's do. `report` is told of sentences, and of no delay: there
// is none. REQUIRES: `start` names a model. Throws std::runtime_error where the stream would end in
// an error, and with what the daemon says of a `start` that cannot be. `warnings` of ready are
// added. The run has no name.
RecordedRun run_offline(OfflineModels& models, const protocol::Start& start,
                        const TimedTranscript& talk, ReplayReport& report,
                        std::vector<std::string>& warnings);

}  // namespace surtitle
