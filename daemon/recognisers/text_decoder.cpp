#include "daemon/recognisers/text_decoder.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "model/util/utf8.h"

namespace surtitle {
namespace {

constexpr std::string_view kMark8 = "\xEF\xBB\xBF";
constexpr std::string_view kMark16Little = "\xFF\xFE";
constexpr std::string_view kMark16Big = "\xFE\xFF";

// Among this many characters, binary data have this many control characters or more.
constexpr std::size_t kChecked = 256;
constexpr std::size_t kMaxControls = 8;

struct Signature {
  std::string_view bytes;
  std::string_view kind;
};
constexpr std::array<Signature, 18> kSignatures{{
    {"RIFF", "a WAV or AVI file"},
    {"OggS", "an Ogg file"},
    {"fLaC", "a FLAC file"},
    {"ID3\x02", "an MP3 file"},
    {"ID3\x03", "an MP3 file"},
    {"ID3\x04", "an MP3 file"},
    {"\xFF\xFB", "an MP3 file"},
    {"\xFF\xF3", "an MP3 file"},
    {"\xFF\xF1", "an AAC file"},
    {"\x1A\x45\xDF\xA3", "a Matroska or WebM file"},
    {"PK\x03\x04", "a ZIP archive or an office document"},
    {"\x1F\x8B", "a gzip archive"},
    {"\xFD\x37zXZ", "an xz archive"},
    {"\x28\xB5\x2F\xFD", "a Zstandard archive"},
    {"%PDF-", "a PDF document"},
    {"\x7F\x45LF", "a program"},
    {"\x89PNG", "a PNG image"},
    {"\xFF\xD8\xFF", "a JPEG image"},
}};

// What texts of other kinds begin with. 0 stands for digits.
constexpr std::array<Signature, 16> kKinds{{
    {"[Script Info]", "ASS"},
    {"Dialogue: 0,0:0:", "ASS"},
    {"<?xml ", "XML, such as TTML"},
    {"<tt ", "TTML"},
    {"<tt>", "TTML"},
    {"<tt:tt", "TTML"},
    {"<SAMI>", "SAMI"},
    {"<sami>", "SAMI"},
    {"start\tend\ttext", "TSV"},
    {"start,end,text", "CSV"},
    {"\"start\",\"end\",\"text\"", "CSV"},
    {"{0}{0}", "MicroDVD"},
    {"{0}{}", "MicroDVD"},
    {"[0][0]", "MPL2"},
    {"[INFORMATION]", "SubViewer"},
    {"Scenarist_SCC V", "SCC"},
}};

enum class Likeness { kNone, kBegins, kWhole };

Likeness compare(std::string_view begin, std::string_view shape) {
  for (const char sign : shape) {
    const std::size_t digits = std::min(begin.find_first_not_of("0123456789"), begin.size());
    if (begin.empty()) {
      return Likeness::kBegins;
    }
    const std::size_t count = sign == '0' ? digits : begin[0] == sign ? 1 : 0;
    if (count == 0) {
      return Likeness::kNone;
    }
    begin.remove_prefix(count);
  }
  return Likeness::kWhole;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\0'; }
bool is_high(char16_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(char16_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// Compares with characters of ASCII in UTF-16. `zero`: position of the zero byte, 0 or 1.
bool may_be_utf16(std::string_view begin, std::size_t zero) {
  for (std::size_t i = 0; i < std::min<std::size_t>(begin.size(), 4); ++i) {
    if ((i % 2 == zero) != (begin[i] == '\0') || (begin[i] != '\0' && !is_ascii(begin[i]))) {
      return false;
    }
  }
  return true;
}

// The characters 0x80 to 0x9F of Windows-1252.
constexpr std::array<char16_t, 32> kWindows1252{
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

char32_t windows_1252(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80U] : byte;
}

// Returns whether a character of several bytes is hardly two of Windows-1252. "ß“" and "Ü“" are
// letters of other scripts in UTF-8.
bool is_surely_utf8(std::string_view character) {
  return character.size() > 2 || code_point(character) < 0x250;
}

bool may_be(std::string_view begin, std::string_view mark) {
  return begin.size() < mark.size() && mark.starts_with(begin);
}

}  // namespace

void TextDecoder::feed(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    if (encoding_) {
      decode(c, out);
    } else {
      beginning_ += c;
      if (const auto encoding = encoding_of_beginning(/*at_end=*/false)) {
        begin(*encoding, out);
      }
    }
  }
}

void TextDecoder::release(std::string& out) { out += std::exchange(held_, {}); }

void TextDecoder::finish(std::string& out) {
  if (!encoding_) {
    begin(*encoding_of_beginning(/*at_end=*/true), out);
  }
  decode_character(out, /*at_end=*/true);
  for (const char c : std::exchange(mark_, {})) {
    put_after_head(c, out);
  }
  release_head(out, /*at_end=*/true);
  if (controls_ >= kMaxControls && controls_ * 8 >= checked_ && !is_text_) {
    refuse("binary data");
  }
  terminal_.finish(suspicious_ && !is_text_ ? held_ : out);
  release(out);
  out += first_byte_ || high_ != 0 ? "\uFFFD" : "";
}

// Returns the encoding, or nullopt if more bytes decide.
std::optional<TextDecoder::Encoding> TextDecoder::encoding_of_beginning(bool at_end) {
  const std::string_view begin = beginning_;
  for (const Signature& signature : kSignatures) {
    if (begin.starts_with(signature.bytes)) {
      refuse(std::string(signature.kind));
    }
  }
  if (begin.size() >= 8 && begin.substr(4, 4) == "ftyp") {
    refuse("an MP4 file");
  }
  if (begin.starts_with(kMark16Little)) {
    return Encoding::kUtf16Little;
  }
  if (begin.starts_with(kMark16Big)) {
    return Encoding::kUtf16Big;
  }
  const bool complete = begin.size() >= 4;
  if (complete && may_be_utf16(begin, 1)) {
    return Encoding::kUtf16Little;
  }
  if (complete && may_be_utf16(begin, 0)) {
    return Encoding::kUtf16Big;
  }
  const bool undecided =
      may_be(begin, kMark8) || may_be(begin, kMark16Little) || may_be(begin, kMark16Big) ||
      (!complete && (may_be_utf16(begin, 0) || may_be_utf16(begin, 1))) ||
      (begin.size() < 8 && begin.find_first_not_of('\0') >= 3) ||
      std::any_of(kSignatures.begin(), kSignatures.end(),
                  [&](const Signature& one) { return may_be(begin, one.bytes); });
  return undecided && !at_end ? std::nullopt : std::optional(Encoding::kUtf8);
}

void TextDecoder::begin(Encoding encoding, std::string& out) {
  encoding_ = encoding;
  std::string_view rest = beginning_;
  for (const std::string_view mark : {kMark8, kMark16Little, kMark16Big}) {
    if (rest.starts_with(mark)) {
      rest.remove_prefix(mark.size());
      is_utf8_ = true;
      break;
    }
  }
  for (const char c : rest) {
    decode(c, out);
  }
  beginning_.clear();
}

void TextDecoder::decode(char c, std::string& out) {
  if (encoding_ == Encoding::kUtf8) {
    character_ += c;
    decode_character(out, /*at_end=*/false);
  } else if (!first_byte_) {
    first_byte_ = c;
  } else {
    const auto first = static_cast<unsigned char>(*std::exchange(first_byte_, std::nullopt));
    const auto second = static_cast<unsigned char>(c);
    decode_unit(static_cast<char16_t>(encoding_ == Encoding::kUtf16Little ? first | second << 8U
                                                                          : first << 8U | second),
                out);
  }
}

// Decodes what is complete of character_. At the end, nothing completes it.
void TextDecoder::decode_character(std::string& out, bool at_end) {
  while (!character_.empty()) {
    const int length = first_character_length(character_);
    if (length == 0 && !at_end) {
      return;
    }
    auto bytes = static_cast<std::size_t>(std::max(length, 1));
    std::string text = character_.substr(0, bytes);
    const bool is_sure = length > 1 && is_surely_utf8(text);
    const bool converts = !is_utf8_ && (length <= 0 || (length > 1 && converted_ && !is_sure));
    if (converts) {
      const char32_t converted = windows_1252(text[0]);
      text.clear();
      bytes = 1;
      append_utf8(converted, text);
    }
    is_utf8_ = is_utf8_ || is_sure || (length > 1 && !converts && std::exchange(was_valid_, true));
    converted_ = converted_ || converts;
    character_.erase(0, bytes);
    for (const char c : text) {
      put(c, out);
    }
  }
}

void TextDecoder::decode_unit(char16_t unit, std::string& out) {
  std::string text;
  if (high_ != 0 && is_low(unit)) {
    append_utf8(0x10000 + ((static_cast<char32_t>(high_) - 0xD800) << 10U) + (unit - 0xDC00), text);
    high_ = 0;
  } else {
    text += std::exchange(high_, is_high(unit) ? unit : char16_t{0}) != 0 ? "\uFFFD" : "";
    if (is_low(unit)) {
      text += "\uFFFD";
    } else if (!is_high(unit)) {
      append_utf8(unit, text);
    }
  }
  for (const char c : text) {
    put(c, out);
  }
}

// Replaces byte order marks.
void TextDecoder::put(char c, std::string& out) {
  if (c == kMark8[mark_.size()]) {
    mark_ += c;
    if (mark_ == kMark8) {
      mark_.clear();
      put_after_head(' ', out);
    }
    return;
  }
  for (const char of_mark : std::exchange(mark_, {})) {
    put_after_head(of_mark, out);
  }
  c == kMark8[0] ? put(c, out) : put_after_head(c, out);
}

// Holds the first characters of the text back while they may begin another kind of file.
void TextDecoder::put_after_head(char c, std::string& out) {
  if (!has_head_) {
    return put_text(c, out);
  }
  head_ += c;
  const std::string_view begin =
      std::string_view(head_).substr(std::min(head_.find_first_not_of(" \t\r\n"), head_.size()));
  has_head_ = false;
  for (const Signature& kind : kKinds) {
    const Likeness likeness = compare(begin, kind.bytes);
    has_head_ = has_head_ || likeness == Likeness::kBegins;
    if (likeness == Likeness::kWhole) {
      head_.clear();
      refuse("a file in " + std::string(kind.kind) + "; of subtitles, SRT and WebVTT are read");
    }
  }
  release_head(out, /*at_end=*/false);
}

void TextDecoder::release_head(std::string& out, bool at_end) {
  if (!has_head_ || at_end) {
    has_head_ = false;
    for (const char c : std::exchange(head_, {})) {
      put_text(c, out);
    }
  }
}

// Holds the text back from the first suspicious character until enough characters are checked.
void TextDecoder::put_text(char c, std::string& out) {
  const bool is_text = terminal_.filter(c, suspicious_ && !is_text_ ? held_ : out);
  if (is_text_ || (is_text && !suspicious_) || c == '\0') {
    return;
  }
  suspicious_ = true;
  ++checked_;
  controls_ += is_text ? 0 : 1;
  if (checked_ == kChecked) {
    if (controls_ >= kMaxControls) {
      refuse("binary data");
    }
    is_text_ = true;
    out += std::exchange(held_, {});
  }
}

void TextDecoder::refuse(const std::string& kind) {
  held_.clear();
  beginning_.clear();
  controls_ = 0;
  encoding_ = Encoding::kUtf8;
  throw std::runtime_error(input_ + ": the input is " + kind +
                           "; allowed: text in UTF-8 or UTF-16");
}

std::string decode_text(std::string_view content, const std::string& name) {
  TextDecoder decoder(name, /*reads_windows_1252=*/false);
  std::string text;
  decoder.feed(content, text);
  decoder.finish(text);
  return without_controls(text);
}

std::string valid_text(std::string_view text) {
  std::string replaced;
  std::string converted;
  std::ptrdiff_t invalid = 0;
  std::ptrdiff_t several_bytes = 0;
  for (std::size_t at = 0; at < text.size();) {
    const int length = first_character_length(text.substr(at));
    const std::size_t bytes = length > 0 ? static_cast<std::size_t>(length) : 1;
    invalid += length > 0 ? 0 : 1;
    several_bytes += length > 1 ? 1 : 0;
    replaced += length > 0 ? text.substr(at, bytes) : "\uFFFD";
    for (const char c : text.substr(at, bytes)) {
      append_utf8(windows_1252(c), converted);
    }
    at += bytes;
  }
  return invalid > several_bytes ? converted : replaced;
}

}  // namespace surtitle
