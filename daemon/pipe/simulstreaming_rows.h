// Formats a translation as the rows of SimulStreaming's translator, which other programs read.
//
// A row is a line of
//   {"emission_time", "end", "status": "COMPLETE", "text", "unconfirmed_text": "", "is_final"}
// Written words never change, so there are no INCOMPLETE rows.
#pragma once

#include <optional>
#include <string>

#include "daemon/protocol/protocol.h"

namespace surtitle {

struct RowTimes {
  double emission = 0;        // seconds since the stream began
  std::optional<double> end;  // end of the source sent so far, seconds on the source's own clock
};

// Thread-safety: none; one owner.
class SimulStreamingRows {
 public:
  // Returns the row of a write. Each word has a space before it, also the first of a sentence.
  std::string write(const protocol::Write& write, const RowTimes& times);
  // Returns the row at the end of a sentence: without text, and is_final.
  std::string sentence(const RowTimes& times);

 private:
  bool sentence_begun_ = false;
};

}  // namespace surtitle
