// Modules of ours that are opened with dlopen: shared libraries with one exported function that
// gives a table of functions behind a C interface. They bring libraries that must not share a
// symbol space with others, or that are not on every machine.
#pragma once

#include <stdexcept>
#include <string>

namespace surtitle {

// The result of `entry`, the exported function of the module `file`, which stands beside the
// running program, as in the build folder, or where modules are installed; it is never closed.
// `own_symbols`: the module's libraries prefer their own symbols to the program's. Thread-safety:
// any thread. Throws std::runtime_error saying where it was looked for, or the loader's reason.
const void* open_module(const std::string& file, const char* entry, bool own_symbols);

// The table, checked. REQUIRES: Functions begins with `int version`.
template <typename Functions>
const Functions& module_functions(const char* file, const char* entry, int version,
                                  bool own_symbols) {
  const auto* functions = static_cast<const Functions*>(open_module(file, entry, own_symbols));
  if (functions == nullptr || functions->version != version)
    throw std::runtime_error(std::string(file) + ": of another version of Surtitle");
  return *functions;
}

}  // namespace surtitle
