// Runs a real program and waits for its end.
#pragma once

#include <string>
#include <vector>

namespace surtitle {

struct ProgramEnd {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

// `program` is a name in the build folder, or a path from the root.
ProgramEnd run_program(const std::string& program, std::vector<std::string> arguments);

}  // namespace surtitle
