// One utterance of a client: the words that its stream has, and the translation so far.
//
// The committed text only grows. It is the translation of the stream's sentences, joined with a
// space; an utterance may have several.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/alignatt/alignatt_protocol.h"
#include "daemon/protocol/protocol.h"

namespace surtitle::alignatt {

class Utterance {
 public:
  // `prefix`: text that an earlier stream has committed. The first message of the new stream, its
  // target_prefix, repeats it.
  explicit Utterance(std::int64_t id, std::string prefix = {})
      : id_(id),
        prefixed_(!prefix.empty()),
        committed_(std::move(prefix)),
        answered_(committed_.size()) {}

  std::int64_t id() const noexcept { return id_; }
  bool ended() const noexcept { return ended_; }  // its final update is answered
  // Whether the stream has all words of the update.
  bool has_words_of(const Update& update) const noexcept { return update.words.size() <= words_; }

  // Returns the words of the update that the stream does not have, as its messages without `seq`.
  // Words are joined if they have the same time, or if the first ones continue a prefix. Words
  // before them cannot change.
  std::vector<protocol::Source> add_words(const std::vector<Word>& words);

  // --- messages of the stream ---
  void on_message(const protocol::Write& write);
  void on_message(const protocol::Sentence& sentence);
  void on_message(const protocol::Draft& draft) { draft_ = draft.text; }

  // Returns the answer to an update. An utterance that has ended stays so without further words.
  Translation answer(const Update& update);

 private:
  std::int64_t id_;
  bool prefixed_;
  bool ended_ = false;
  bool forced_ = false;    // its end is the server's
  std::size_t words_ = 0;  // that the stream has
  std::string committed_;
  std::size_t answered_;  // bytes of the committed text that the client has
  std::string draft_;
  std::optional<int> sentence_;  // of the last write
  int words_before_ = 0;         // those of finished sentences
  int covered_ = 0;
};

}  // namespace surtitle::alignatt
