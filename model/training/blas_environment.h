// The environment that LibTorch's libraries want on a CPU.
#pragma once

#include <filesystem>

namespace surtitle {

// Becomes `program`, with this one's command line, in the environment that suits LibTorch's
// libraries; they read it when they are loaded, before main(). What the user set stays. Throws
// std::runtime_error where the program cannot be run. REQUIRES: no thread was started, nothing was
// read from standard input.
[[noreturn]] void restart_with_blas_environment(const std::filesystem::path& program);

}  // namespace surtitle
