// The latency of a replay as reports show it: one table for tables and JSON, for what the daemon
// sends and for what is counted here.
#pragma once

#include <array>
#include <optional>

#include "daemon/protocol/protocol.h"
#include "metrics/latency.h"

namespace surtitle {

struct ScoreColumn {
  const char* key;   // of JSON
  const char* name;  // of tables
  const char* unit;  // "" or with a space before it
  std::optional<double> LatencyScores::*counted;
  std::optional<double> protocol::Scores::*sent;
};
inline constexpr std::array<ScoreColumn, 5> kScoreColumns{
    {{"al", "AL", " words", &LatencyScores::al, &protocol::Scores::al},
     {"laal", "LAAL", " words", &LatencyScores::laal, &protocol::Scores::laal},
     {"ap", "AP", "", &LatencyScores::ap, &protocol::Scores::ap},
     {"dal", "DAL", " words", &LatencyScores::dal, &protocol::Scores::dal},
     {"cw", "CW", " words", &LatencyScores::cw, &protocol::Scores::cw}}};

}  // namespace surtitle
