// A translation as the rows of SimulStreaming's translator: lines of
//   {"emission_time", "end", "status": "COMPLETE", "text", "unconfirmed_text": "", "is_final"}
// for whatever takes those. What we write never changes, so there are no INCOMPLETE rows.
#pragma once

#include <optional>
#include <string>

#include "daemon/protocol/protocol.h"

namespace surtitle {

struct RowTimes {
  double emission = 0;        // seconds since the beginning
  std::optional<double> end;  // of the source that was heard so far, seconds on its own clock
};

// Thread-safety: none; one owner.
class SimulStreamingRows {
 public:
  // What a write adds; where a word begins, there is a space before it, also before a sentence's
  // first.
  std::string write(const protocol::Write& write, const RowTimes& times);
  // The sentence is over: no text, and is_final.
  std::string sentence(const RowTimes& times);

 private:
  bool sentence_begun_ = false;
};

}  // namespace surtitle
