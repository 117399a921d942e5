// The size of tests that repeat one check over many inputs.
#pragma once

#include <cstdlib>
#include <string_view>

namespace surtitle {

// Whether tests run at full size (SURTITLE_TEST_SIZE=full, as in `tests/run.sh --all`). Otherwise
// they take a sample, so that all tests end in a few minutes.
inline bool full_size() {
  const char* size = std::getenv("SURTITLE_TEST_SIZE");
  return size != nullptr && std::string_view(size) == "full";
}

}  // namespace surtitle
