#include "daemon/commands/subtitle_files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "daemon/channels/transcript_formats.h"

namespace surtitle {
namespace {

[[noreturn]] void fail(const std::string& file) {
  throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
}

}  // namespace

void SubtitleFiles::add_options(CLI::App& command) {
  command.add_option("--vtt", vtt_, "at the end, write the subtitles to this file as WebVTT")
      ->option_text("FILE");
  command.add_option("--srt", srt_, "the same as SRT")->option_text("FILE");
}

void SubtitleFiles::check() const {
  for (const std::string& file : {vtt_, srt_}) {
    if (!file.empty() && !std::ofstream(file, std::ios::app)) {
      fail(file);
    }
  }
}

void SubtitleFiles::write() const {
  const std::array<std::pair<std::string, TranscriptFormat>, 2> files{
      {{vtt_, TranscriptFormat::kWebVtt}, {srt_, TranscriptFormat::kSrt}}};
  for (const auto& [file, format] : files) {
    if (!file.empty() &&
        !(std::ofstream(file) << write_transcript(transcript_, {.format = format})).flush()) {
      fail(file);
    }
  }
}

}  // namespace surtitle
