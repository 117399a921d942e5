// What commands with results of many lines share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace surtitle {

// Where results go: tried before the work, so that a wrong name costs no time; what is there stays
// until there is something to write. Throws
// std::runtime_error that names the file.
class ResultFile {
 public:
  // An empty name: nowhere.
  explicit ResultFile(std::filesystem::path file);

  // Once. Nothing where no file was named.
  void write(const std::string& text);

 private:
  void require_good() const;

  std::filesystem::path file_;
  std::ofstream out_;
};

// Counts finished sentences in one line of stderr; empty where that is no terminal.
std::function<void(std::size_t)> progress_on_terminal(std::size_t sentences);

}  // namespace surtitle
