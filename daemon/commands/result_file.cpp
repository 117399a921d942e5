#include "daemon/commands/result_file.h"

#include <unistd.h>

#include <iostream>
#include <stdexcept>
#include <utility>

namespace surtitle {

ResultFile::ResultFile(std::filesystem::path file) : file_(std::move(file)) {
  if (!file_.empty()) {
    out_.open(file_, std::ios::binary | std::ios::app);
    require_good();
    out_.close();
  }
}

void ResultFile::write(const std::string& text) {
  if (file_.empty()) {
    return;
  }
  out_.open(file_, std::ios::binary);
  out_ << text;
  out_.close();
  require_good();
}

void ResultFile::require_good() const {
  if (!out_) {
    throw std::runtime_error(file_.string() + ": cannot be written");
  }
}

std::function<void(std::size_t)> progress_on_terminal(std::size_t sentences) {
  if (isatty(STDERR_FILENO) == 0) {
    return {};
  }
  return [sentences](std::size_t done) {
    std::cerr << "\r" << done << "/" << sentences << " sentences" << (done == sentences ? "\n" : "")
              << std::flush;
  };
}

}  // namespace surtitle
