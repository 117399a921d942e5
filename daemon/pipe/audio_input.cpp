#include "daemon/pipe/audio_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "daemon/pipe/wav_header.h"

namespace surtitle {
namespace {

using Command = std::vector<std::string>;

// Appends the form of the samples, which ffmpeg writes to its standard output.
Command ffmpeg(Command input) {
  Command command{"ffmpeg", "-nostdin", "-v", "error"};
  command.insert(command.end(), input.begin(), input.end());
  command.insert(command.end(), {"-vn", "-ac", "1", "-ar", "16000", "-f", "s16le", "pipe:1"});
  return command;
}

// Returns the command that records from PulseAudio, or from PipeWire in its place.
Command pulse_command(const std::string& source) {
  if (!is_installed("parec")) {
    return ffmpeg({"-f", "pulse", "-i", source.empty() ? "default" : source});
  }
  Command command{"parec",        "--raw",        "--format=s16le",
                  "--rate=16000", "--channels=1", "--latency-msec=50"};
  if (!source.empty()) {
    command.push_back("--device=" + source);
  }
  return command;
}

Command alsa_command(const std::string& name) {
  const std::string device = name.empty() ? "default" : name;
  return is_installed("arecord") ? Command{"arecord", "-q",    "-t", "raw", "-f", "S16_LE",
                                           "-r",      "16000", "-c", "1",   "-D", device}
                                 : ffmpeg({"-f", "alsa", "-i", device});
}

}  // namespace

std::string device_problem(const std::string& device) {
  const std::string system = device.substr(0, device.find(':'));
  return system == "pulse" || system == "alsa"
             ? std::string()
             : "must be pulse, alsa, pulse:SOURCE or alsa:DEVICE, not " + device;
}

std::unique_ptr<AudioInput> AudioInput::open_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) {
    throw std::runtime_error("cannot open " + path + ": " + std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    close(file);
    throw std::runtime_error("cannot open " + path + ": it is a folder; must be a sound file");
  }
  const std::optional<WavSamples> samples =
      S_ISREG(status.st_mode) ? find_wav_samples(file) : std::nullopt;
  if (samples) {
    lseek(file, samples->begin, SEEK_SET);
    return std::unique_ptr<AudioInput>(new AudioInput(path, file, samples->size));
  }
  close(file);
  if (!is_installed("ffmpeg")) {
    throw std::runtime_error("cannot read " + path +
                             ": ffmpeg is not installed; without it, the file must be WAV of 16 "
                             "bits, one channel and 16 kHz");
  }
  return std::unique_ptr<AudioInput>(
      new AudioInput(path, ffmpeg({"-i", "file:" + path}), /*live=*/false));
}

std::unique_ptr<AudioInput> AudioInput::open_microphone(const std::string& device) {
  const std::size_t colon = std::min(device.find(':'), device.size());
  const std::string name = device.substr(std::min(colon + 1, device.size()));
  const bool pulse = device.empty() ? is_installed("parec") : device.starts_with("pulse");
  Command command = pulse ? pulse_command(name) : alsa_command(name);
  if (!is_installed(command.front())) {
    throw std::runtime_error(
        "cannot record: none of parec, arecord and ffmpeg is installed; Debian has them in the "
        "packages pulseaudio-utils, alsa-utils and ffmpeg");
  }
  return std::unique_ptr<AudioInput>(
      new AudioInput("the microphone", std::move(command), /*live=*/true));
}

AudioInput::AudioInput(std::string name, std::vector<std::string> program, bool live)
    : name_(std::move(name)), program_(std::move(program)), live_(live) {}

AudioInput::AudioInput(std::string name, int file, std::int64_t size)
    : name_(std::move(name)), live_(false), file_(file), left_(size) {}

AudioInput::~AudioInput() {
  bytes_.reset();  // its thread reads the descriptor
  if (file_ >= 0) {
    close(file_);
  }
}

boost::asio::awaitable<std::string> AudioInput::read() {
  if (!bytes_) {
    if (!program_.empty()) {
      child_ = std::make_unique<ChildProcess>(program_);
    }
    bytes_ = std::make_unique<DescriptorInput>(child_ ? child_->output() : file_, name_);
  }
  while (kept_.size() < kFrame && !over_ && !stopped_) {
    const std::optional<std::string> bytes = co_await bytes_->read(std::nullopt);
    const auto size =
        static_cast<std::size_t>(std::min(left_, static_cast<std::int64_t>(bytes->size())));
    kept_.append(*bytes, 0, size);
    left_ -= static_cast<std::int64_t>(size);
    over_ = size == 0;
  }
  if (stopped_) {
    co_return std::string();
  }
  const std::size_t samples = std::min(kept_.size(), kFrame) / 2 * 2;
  has_sound_ = has_sound_ || samples > 0;
  if (samples == 0) {
    check_end();
  }
  std::string frame = kept_.substr(0, samples);
  kept_.erase(0, samples);
  co_return frame;
}

void AudioInput::check_end() {
  const std::optional<std::string> failure = child_ ? child_->failure() : std::nullopt;
  child_.reset();
  if (failure) {
    throw std::runtime_error("cannot " + std::string(live_ ? "record" : "read") + " " + name_ +
                             ": " + program_.front() + ": " + *failure);
  }
  if (!has_sound_) {
    throw std::runtime_error(name_ + " has no sound");
  }
}

void AudioInput::stop() noexcept {
  stopped_ = true;
  if (bytes_) {
    bytes_->stop();
  }
}

}  // namespace surtitle
