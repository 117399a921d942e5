// Lists the latency metrics of a replay's reports, for tables and JSON.
#pragma once

#include <array>
#include <optional>

#include "daemon/protocol/protocol.h"
#include "metrics/latency.h"

namespace surtitle {

struct ScoreColumn {
  const char* key;                                // of JSON
  const char* name;                               // of tables
  const char* unit;                               // with a space before it, or ""
  std::optional<double> LatencyScores::*counted;  // computed here
  std::optional<double> protocol::Scores::*sent;  // sent by the daemon
};
inline constexpr std::array<ScoreColumn, 7> kScoreColumns{
    {{"al", "AL", " words", &LatencyScores::al, &protocol::Scores::al},
     {"laal", "LAAL", " words", &LatencyScores::laal, &protocol::Scores::laal},
     {"ap", "AP", "", &LatencyScores::ap, &protocol::Scores::ap},
     {"dal", "DAL", " words", &LatencyScores::dal, &protocol::Scores::dal},
     {"cw", "CW", " words", &LatencyScores::cw, &protocol::Scores::cw},
     {"yaal", "YAAL", " words", &LatencyScores::yaal, &protocol::Scores::yaal},
     {"long_yaal", "LongYAAL", " words", &LatencyScores::long_yaal, &protocol::Scores::long_yaal}}};

}  // namespace surtitle
