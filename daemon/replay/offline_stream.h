// Runs a stream without a daemon, on the log's clock.
//
// The daemon's own plan, session and batch loop run in this process. Words arrive at the log's
// times. Translation takes no time on this clock: after each message, everything is written that
// the policy allows. A run therefore depends only on the talk, the model and the policy, and its
// words are those of a daemon. Only the times of writes may include the time of the computation.
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

enum class WriteTimes {
  kIdeal,     // translation takes no time
  kMeasured,  // a write appears once the computation that led to it is over
};

// Translates the talk once, as a stream that begins with `start`. Sentences end after a silence on
// the log's clock, as in the daemon. `report` receives words and sentences but no delays, because
// there are none. Adds the warnings of the message ready to `warnings`. The run has no name. Throws
// std::runtime_error with the daemon's error message if `start` is invalid or the stream fails.
// REQUIRES: `start` names a model.
RecordedRun run_offline(OfflineModels& models, const protocol::Start& start,
                        const TimedTranscript& talk, ReplayReport& report,
                        std::vector<std::string>& warnings, WriteTimes times = WriteTimes::kIdeal);

}  // namespace surtitle
