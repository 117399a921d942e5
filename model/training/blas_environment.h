// Environment variables that make LibTorch's libraries fast on a CPU.
#pragma once

#include <filesystem>

namespace surtitle {

// Executes `program` in this process, with the same command line, in that environment. The
// libraries read it when they are loaded, before main(). Variables that are already set stay.
// Throws std::runtime_error if the program cannot be run. REQUIRES: no thread has been started,
// nothing has been read from standard input.
[[noreturn]] void restart_with_blas_environment(const std::filesystem::path& program);

}  // namespace surtitle
