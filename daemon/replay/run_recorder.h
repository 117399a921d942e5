// Makes a recorded run of the messages of one track as they come.
//
// Thread-safety: none; one owner.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "daemon/protocol/protocol.h"
#include "daemon/replay/recorded_run.h"
#include "model/text/word_delays.h"

namespace surtitle {

class RunRecorder {
 public:
  // Complete words were said. Times are milliseconds since the run's begin.
  void said(int words, double time);
  void write(const protocol::Write& write, double time);
  // `delays_ms` of its writes; may be empty.
  void complete(const protocol::Sentence& sentence, std::span<const float> delays_ms);

  const std::vector<RecordedSentence>& sentences() const noexcept { return sentences_; }

 private:
  std::vector<RecordedSentence> sentences_;
  std::deque<double> said_;  // of words whose sentence is not complete
  // Of the open sentence.
  TargetWords words_;
  std::vector<double> written_;
  int read_ = 0;
};

}  // namespace surtitle
