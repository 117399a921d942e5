// Output helpers of commands that produce many lines: a result file and a progress line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace surtitle {

// A file for results. The constructor checks that it can be written, so that a wrong name fails
// before the work begins. An existing file keeps its contents until write(). Both functions throw
// std::runtime_error that names the file.
class ResultFile {
 public:
  // With an empty name, write() does nothing.
  explicit ResultFile(std::filesystem::path file);

  // Replaces the contents of the file. REQUIRES: called at most once.
  void write(const std::string& text);

 private:
  void require_good() const;

  std::filesystem::path file_;
  std::ofstream out_;
};

// Returns a function that shows the number of finished sentences in one line of stderr, or an empty
// function if stderr is not a terminal.
std::function<void(std::size_t)> progress_on_terminal(std::size_t sentences);

}  // namespace surtitle
