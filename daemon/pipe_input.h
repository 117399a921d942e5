// What `surtitle pipe` reads, turned into messages of the protocol.
//
// Text is words with white space between them; a word goes out when the white space after it is
// there, and a blank line ends the sentence. JSON lines are those of LoggedLine; among them a blank
// line ends the sentence too, and a line that does not begin with { is taken as plain words.
//
// Thread-safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/protocol.h"
#include "daemon/word_splitter.h"

namespace surtitle {

enum class PipeFormat { kText, kJsonLines };

class PipeInput {
 public:
  // A longer line of JSON is an error.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

  // `message_bytes`, `message_words`: the longest message that the server takes.
  PipeInput(PipeFormat format, int message_bytes, int message_words);

  // Appends the messages that `bytes` complete. Throws std::runtime_error for a bad line, "standard
  // input:LINE: ..."; what came before it is in `messages`.
  void feed(std::string_view bytes, std::vector<protocol::ClientMessage>& messages);

  // The input is over: appends what was still incomplete.
  void finish(std::vector<protocol::ClientMessage>& messages);

  // How often something was not UTF-8 and became U+FFFD.
  int replaced() const noexcept { return splitter_.replaced(); }

 private:
  using Messages = std::vector<protocol::ClientMessage>;

  void take_line(Messages& messages);
  void send_words(Messages& messages);
  void add_source(std::string text, Messages& messages);

  const PipeFormat format_;
  const std::size_t text_bytes_;  // of one source message
  const int text_words_;          // likewise
  WordSplitter splitter_;
  std::vector<std::string> words_;  // not yet in a message
  std::string line_;                // of JSON, incomplete
  int line_number_ = 1;
  bool said_ = false;  // something since the last blank line of JSON lines
  std::int64_t seq_ = 0;
};

}  // namespace surtitle
