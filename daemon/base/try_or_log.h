// Runs a piece of work and logs its failure, so that the caller can continue.
//
// Thread-safety: may be called from any thread.
#pragma once

#include <exception>
#include <string_view>

#include "daemon/base/log.h"

namespace surtitle {

// Returns false if `work` throws. The line `failed` is logged then, with the error as a field, if
// memory suffices.
template <class Work>
bool try_or_log(std::string_view failed, const Work& work) noexcept {
  try {
    work();
    return true;
  } catch (const std::exception& failure) {
    try {
      log(LogLevel::kError, failed, {{"error", failure.what()}});
    } catch (const std::exception&) {  // no memory for the line
    }
  }
  return false;
}

}  // namespace surtitle
