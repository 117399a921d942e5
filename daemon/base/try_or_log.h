// Runs a part of some work whose other parts must be done even if this one fails.
//
// Thread-safety: full.
#pragma once

#include <exception>
#include <string_view>

#include "daemon/base/log.h"

namespace surtitle {

// Returns false if `work` throws. That is logged as `failed`, if there is memory for it.
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
