// Opens Surtitle's own modules with dlopen.
//
// A module is a shared library with one exported function, which returns a table of functions
// behind a C interface. A module links libraries that must not share a symbol space with others, or
// that some machines lack.
#pragma once

#include <stdexcept>
#include <string>

namespace surtitle {

// Opens the module `file` and returns the result of its exported function `entry`. The module is
// beside the running program, as in the build folder, or in the folder of installed modules. It is
// never closed. `own_symbols`: the module's libraries prefer their own symbols to the program's.
//
// Thread-safety: may be called from any thread. Throws std::runtime_error with the folders
// searched, or with the loader's reason.
const void* open_module(const std::string& file, const char* entry, bool own_symbols);

// Returns the module's table of functions. Throws std::runtime_error also if its version differs
// from `version`. REQUIRES: Functions begins with `int version`.
template <typename Functions>
const Functions& module_functions(const char* file, const char* entry, int version,
                                  bool own_symbols) {
  const auto* functions = static_cast<const Functions*>(open_module(file, entry, own_symbols));
  const int found = functions == nullptr ? 0 : functions->version;
  if (functions == nullptr || found != version)
    throw std::runtime_error(std::string(file) + " has interface version " + std::to_string(found) +
                             ", this program needs " + std::to_string(version) +
                             "; build or install both from the same version");
  return *functions;
}

}  // namespace surtitle
