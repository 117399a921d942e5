// The environment that LibTorch's libraries want on a CPU.
#pragma once

namespace surtitle {

// LibTorch's libraries read their settings when they are loaded, before main(); so the program
// starts itself once more where one is missing. What the user set stays. Returns where all are
// there, or where starting anew fails. REQUIRES: no thread was started, nothing was read from
// standard input.
void run_with_tuned_libraries();

}  // namespace surtitle
