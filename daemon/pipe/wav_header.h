// Finds the samples of a WAV file.
#pragma once

#include <cstdint>
#include <optional>

namespace surtitle {

// The bytes of a file that are samples.
struct WavSamples {
  std::int64_t begin = 0;
  std::int64_t size = 0;  // may exceed the file, as in WAV that was written to a pipe
};

// Returns nullopt unless the file is WAV with samples as recognisers expect them: 16 bits, one
// channel, 16 kHz. REQUIRES: `descriptor` is seekable; its position does not change. Thread-safety:
// may be called from any thread.
std::optional<WavSamples> find_wav_samples(int descriptor);

}  // namespace surtitle
