// Builds a recorded run from the messages of one track.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
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
  // Complete source words were sent. Times are milliseconds since the run began.
  void sent(int words, double time);
  void write(const protocol::Write& write, double time);
  // `delays_ms`: delays of the sentence's writes; empty if translation takes no time.
  void complete(const protocol::Sentence& sentence, std::span<const float> delays_ms);

  const std::vector<RecordedSentence>& sentences() const noexcept { return sentences_; }

 private:
  std::vector<RecordedSentence> sentences_;
  std::deque<double> source_times_;  // times of words whose sentence is not complete
  // Of the open sentence.
  TargetWords words_;
  std::vector<double> written_;
  std::vector<std::size_t> last_writes_;  // the number of each word's last write
  std::size_t writes_ = 0;
  int read_ = 0;
};

}  // namespace surtitle
