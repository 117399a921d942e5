#include "daemon/alignatt/utterance.h"

#include <algorithm>
#include <utility>

#include "model/text/unspaced.h"
#include "model/text/words.h"

namespace surtitle::alignatt {
namespace {

constexpr double kMilliseconds = 1000;

}  // namespace

std::vector<protocol::Source> Utterance::add_words(const std::vector<Word>& words) {
  const bool join = prefixed_ && words_ == 0;
  ended_ = ended_ && words_ >= words.size();
  std::vector<protocol::Source> messages;
  for (; words_ < words.size(); ++words_) {
    const Word& word = words[words_];
    const auto time = word.time ? std::optional(*word.time / kMilliseconds) : std::nullopt;
    if (split_words(word.text).empty()) {
      continue;
    }
    if (messages.empty() || (messages.back().time != time && !join)) {
      messages.push_back({0, word.text, time});
    } else {
      std::string& text = messages.back().text;
      text.append(space_between(text, word.text)).append(word.text);
      messages.back().time = time;
    }
  }
  return messages;
}

void Utterance::on_message(const protocol::Write& write) {
  if (!std::exchange(prefixed_, false)) {
    const bool next = sentence_ && *sentence_ != write.sentence && !committed_.empty();
    committed_ += (next ? " " : "") + write.text;
    covered_ = std::max(covered_, words_before_ + write.words);
  }
  sentence_ = write.sentence;
}

void Utterance::on_message(const protocol::Sentence& sentence) {
  words_before_ += static_cast<int>(split_words(sentence.source).size());
  covered_ = words_before_;
}

Translation Utterance::answer(const Update& update) {
  if (!ended_) {
    ended_ = update.is_final;
    forced_ = update.forced_final;
  }
  Translation translation{
      .seq = update.seq,
      .utterance_id = id_,
      .final = ended_,
      .forced_final = forced_,
      .committed_text = committed_,
      .committed_delta = committed_.substr(std::exchange(answered_, committed_.size())),
      .buffer_text = std::exchange(draft_, {}),
      .covered_source_units = std::min(covered_, static_cast<int>(words_))};
  return translation;
}

}  // namespace surtitle::alignatt
