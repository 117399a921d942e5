#include "daemon/commands/result_file.h"

#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "daemon/terminal/progress_line.h"

namespace surtitle {

ResultFile::ResultFile(std::filesystem::path file) : file_(std::move(file)) {
  if (!file_.empty()) {
    std::error_code ignored;
    is_new_ = !std::filesystem::exists(file_, ignored);
    out_.open(file_, std::ios::binary | std::ios::app);
    require_good();
    out_.close();
  }
}

ResultFile::~ResultFile() {
  if (is_new_) {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
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
  is_new_ = false;
}

void ResultFile::require_good() const {
  if (!out_) {
    throw std::runtime_error(file_.string() + ": cannot be written");
  }
}

SentenceProgress progress_on_terminal(const std::string& part, std::size_t sentences) {
  if (!ProgressLine::is_there()) {
    return {};
  }
  const std::string before = part.empty() ? part : part + ": ";
  const std::string after = "/" + std::to_string(sentences) + " sentences";
  const auto line = std::make_shared<ProgressLine>();
  line->show(before + "0" + after);
  return [=](std::size_t done) { line->show(before + std::to_string(done) + after); };
}

}  // namespace surtitle
