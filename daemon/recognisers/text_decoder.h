// Decodes the bytes of an input to text in UTF-8.
//
// UTF-16 is converted, with or without a byte order mark, which is removed. A mark in the middle,
// as in files that were joined, becomes a space. Windows-1252 is converted. Other invalid UTF-8
// stays as it is. Backspaces stay in a stream (base/terminal_text.h).
//
// Bytes are held back while they may be the beginning of a mark, a binary file or another kind of
// text.
//
// Thread-safety: none for an object; one owner. decode_text() may be called from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/terminal_text.h"

namespace surtitle {

class TextDecoder {
 public:
  // `input`: name of the input in errors. `reads_windows_1252`: bytes that are not UTF-8 are read
  // as Windows-1252, which contains Latin-1, until a character of several bytes proves UTF-8.
  explicit TextDecoder(std::string input, bool reads_windows_1252 = true)
      : input_(std::move(input)), is_utf8_(!reads_windows_1252) {}

  // Appends the text of more bytes to `out`. Throws std::runtime_error, one sentence, if they begin
  // like another kind of file, binary or text, or have many control characters.
  void feed(std::string_view bytes, std::string& out);
  // Appends the text of the bytes that were held back: no more bytes arrived for a moment.
  void release(std::string& out);
  // Ends the input. Appends and throws as feed() does.
  void finish(std::string& out);

  // Returns whether bytes were read as Windows-1252.
  bool converted() const noexcept { return converted_; }

 private:
  enum class Encoding { kUtf8, kUtf16Little, kUtf16Big };

  std::optional<Encoding> encoding_of_beginning(bool at_end);
  void begin(Encoding encoding, std::string& out);
  void decode(char c, std::string& out);
  void decode_unit(char16_t unit, std::string& out);
  void decode_character(std::string& out, bool at_end);
  void put(char c, std::string& out);
  void put_after_head(char c, std::string& out);
  void release_head(std::string& out, bool at_end);
  void put_text(char c, std::string& out);
  [[noreturn]] void refuse(const std::string& kind);

  const std::string input_;
  std::string beginning_;  // while the encoding is unknown
  std::optional<Encoding> encoding_;
  std::optional<char> first_byte_;  // of a unit of UTF-16
  char16_t high_ = 0;               // surrogate that waits for its second half; 0: none
  std::string character_;           // of UTF-8, incomplete
  bool is_utf8_;                    // invalid UTF-8 stays as it is
  bool was_valid_ = false;          // a character of several bytes has arrived
  bool converted_ = false;
  std::string mark_;      // the beginning of a byte order mark
  std::string head_;      // the beginning of the text, while its kind is unknown
  bool has_head_ = true;  // the text is within head_
  TerminalFilter terminal_;

  // Since the first control character that no text has:
  bool suspicious_ = false;
  bool is_text_ = false;      // enough bytes were checked
  std::size_t controls_ = 0;  // of `checked_` characters
  std::size_t checked_ = 0;
  std::string held_;
};

// Decodes a whole file. `name`: its name in errors. Throws as TextDecoder does.
std::string decode_text(std::string_view content, const std::string& name);

// Returns a whole text as valid UTF-8. Bytes that are not UTF-8 become U+FFFD. If they outnumber
// the characters of several bytes, the text is Windows-1252, which contains Latin-1.
std::string valid_text(std::string_view text);

}  // namespace surtitle
