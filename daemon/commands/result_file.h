// Output helpers of commands that produce many lines: a result file and a progress line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "daemon/evaluation/evaluation.h"

namespace surtitle {

// A file for results. The constructor checks that it can be written, so that a wrong name fails
// before the work begins. An existing file keeps its contents until write(), and a new file is
// removed again unless write() succeeds. Both functions throw std::runtime_error that names the
// file.
class ResultFile {
 public:
  // With an empty name, write() does nothing.
  explicit ResultFile(std::filesystem::path file);
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  ~ResultFile();

  // Replaces the contents of the file. REQUIRES: called at most once.
  void write(const std::string& text);

 private:
  void require_good() const;

  std::filesystem::path file_;
  bool is_new_ = false;  // it did not exist, and has no contents yet
  std::ofstream out_;
};

// Returns a function that shows the number of finished sentences in one line of stderr, or an empty
// function if stderr is not a terminal. `part`: which part of the work it is, or "". The line
// disappears with the last copy of the function.
SentenceProgress progress_on_terminal(const std::string& part, std::size_t sentences);

}  // namespace surtitle
