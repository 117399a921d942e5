#include "daemon/replay/run_recorder.h"

#include <algorithm>

#include "model/text/words.h"

namespace surtitle {

void RunRecorder::sent(int words, double time) {
  source_times_.insert(source_times_.end(), static_cast<std::size_t>(words), time);
}

void RunRecorder::write(const protocol::Write& write, double time) {
  const bool goes_on = !written_.empty() && !write.text.starts_with(' ');
  read_ = std::max(read_, write.words);
  words_.write(write.text, read_);
  if (goes_on) {
    written_.back() = time;
    last_writes_.back() = writes_;
  }
  written_.resize(words_.delays().size(), time);
  last_writes_.resize(written_.size(), writes_++);
}

void RunRecorder::complete(const protocol::Sentence& sentence, std::span<const float> delays_ms) {
  RecordedSentence recorded;
  recorded.source = sentence.source;
  recorded.target = sentence.target;
  const auto words = static_cast<std::ptrdiff_t>(
      std::min(split_words(sentence.source).size(), source_times_.size()));
  recorded.source_times.assign(source_times_.begin(), source_times_.begin() + words);
  source_times_.erase(source_times_.begin(), source_times_.begin() + words);
  recorded.delays.assign(words_.delays().begin(), words_.delays().end());
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const std::size_t write = last_writes_[i];
    recorded.due.push_back(written_[i] - (write < delays_ms.size() ? delays_ms[write] : 0));
  }
  recorded.written = std::move(written_);
  recorded.delays_ms.assign(delays_ms.begin(), delays_ms.end());
  sentences_.push_back(std::move(recorded));
  words_.clear();
  written_.clear();
  last_writes_.clear();
  writes_ = 0;
  read_ = 0;
}

}  // namespace surtitle
