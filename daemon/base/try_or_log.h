// For what must be done to the end, though a part of it fails.
//
// Thread-safety: full.
#pragma once

#include <exception>
#include <string_view>

#include "daemon/base/log.h"

namespace surtitle {

// False where it threw, which is logged as `failed` if there is memory for that.
template <class Work>
bool attempt(std::string_view failed, const Work& work) noexcept {
  try {
    work();
    return true;
  } catch (const std::exception& failure) {
    try {
      log(LogLevel::kError, failed, {{"cause", failure.what()}});
    } catch (const std::exception&) {  // there is none
    }
  }
  return false;
}

}  // namespace surtitle
