#include "daemon/pipe/wav_header.h"

#include <unistd.h>

#include <limits>
#include <string>
#include <string_view>

namespace surtitle {
namespace {

constexpr std::int64_t kHeader = 12;      // "RIFF", the size of the file, "WAVE"
constexpr std::int64_t kChunkHeader = 8;  // the name of the chunk and its size
// Of the chunk "fmt ": the format PCM, one channel, 16,000 samples and 32,000 bytes a second, 2
// bytes and 16 bits a sample.
constexpr std::string_view kSpeech(
    "\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00", 16);

std::string bytes_at(int descriptor, std::int64_t begin, std::size_t size) {
  std::string bytes(size, '\0');
  const ssize_t length = pread(descriptor, bytes.data(), bytes.size(), begin);
  bytes.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return bytes;
}

// Reads the size of a chunk, a little-endian number after its name.
std::int64_t size_of(std::string_view chunk) {
  std::int64_t size = 0;
  for (std::size_t i = 8; i-- > 4;) {
    size = size * 256 + static_cast<unsigned char>(chunk[i]);
  }
  return size;
}

}  // namespace

std::optional<WavSamples> find_wav_samples(int descriptor) {
  const std::string header = bytes_at(descriptor, 0, kHeader);
  if (!header.starts_with("RIFF") || !header.ends_with("WAVE")) {
    return std::nullopt;
  }
  bool is_speech = false;
  for (std::int64_t begin = kHeader;;) {
    const std::string chunk = bytes_at(descriptor, begin, kChunkHeader);
    if (chunk.size() < kChunkHeader) {
      return std::nullopt;
    }
    const std::int64_t size = size_of(chunk);
    begin += kChunkHeader;
    if (chunk.starts_with("fmt ")) {
      is_speech = bytes_at(descriptor, begin, kSpeech.size()) == kSpeech;
    } else if (chunk.starts_with("data")) {
      // A program that was stopped leaves a size of 0.
      const WavSamples samples{begin, size > 0 ? size : std::numeric_limits<std::int64_t>::max()};
      return is_speech ? std::optional(samples) : std::nullopt;
    }
    begin += size + size % 2;
  }
}

}  // namespace surtitle
