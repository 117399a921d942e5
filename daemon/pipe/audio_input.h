// Speech from a sound file or a microphone: samples of 16 bits, one channel, 16 kHz.
//
// A WAV file of such samples is read directly, any other file by ffmpeg. A microphone is recorded
// by parec, arecord or ffmpeg, in a process of its own.
//
// Thread-safety: none; one owner.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/pipe/child_process.h"
#include "daemon/pipe/descriptor_input.h"

namespace surtitle {

class AudioInput {
 public:
  static constexpr int kRate = 16000;  // samples a second
  static constexpr int kBytesPerSecond = 2 * kRate;
  static constexpr std::size_t kFrame = kBytesPerSecond / 10;  // bytes of one read()

  // Both throw std::runtime_error, one sentence, if the file cannot be read or a program is
  // missing.
  static std::unique_ptr<AudioInput> open_file(const std::string& path);
  // `device`: "pulse", "alsa", either with a colon and the name of a source or device, or empty for
  // the first that has a program.
  static std::unique_ptr<AudioInput> open_microphone(const std::string& device);

  ~AudioInput();

  // Returns the next tenth of a second. The last one may be shorter; then empty texts follow, as
  // after stop(). Throws std::runtime_error, one sentence, if the program fails or there is no
  // sound.
  boost::asio::awaitable<std::string> read();

  // Whether the speech arrives as it is spoken.
  bool live() const noexcept { return live_; }
  // "talk.wav", "the microphone".
  const std::string& name() const noexcept { return name_; }

  // The program that records or reads the file; empty if the file is read directly.
  std::string program() const { return program_.empty() ? std::string() : program_.front(); }

  void stop() noexcept;

 private:
  AudioInput(std::string name, std::vector<std::string> program, bool live);
  AudioInput(std::string name, int file, std::int64_t size);
  void check_end();

  const std::string name_;
  const std::vector<std::string> program_;  // empty: the file is read directly
  const bool live_;
  int file_ = -1;
  std::int64_t left_ = std::numeric_limits<std::int64_t>::max();  // bytes of the file
  std::unique_ptr<ChildProcess> child_;
  std::unique_ptr<DescriptorInput> bytes_;
  std::string kept_;  // bytes that no read() has returned
  bool has_sound_ = false;
  bool over_ = false;
  bool stopped_ = false;
};

// Returns the error message for an invalid device of a microphone, or an empty text.
std::string device_problem(const std::string& device);

}  // namespace surtitle
