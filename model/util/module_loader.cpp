#include "model/util/module_loader.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SURTITLE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SURTITLE_SANITIZED 1
#endif
#endif

namespace surtitle {
namespace {

using std::filesystem::path;

#ifdef SURTITLE_SANITIZED
constexpr int kOwnSymbols = 0;  // the sanitizers reject DEEPBIND
#else
constexpr int kOwnSymbols = RTLD_DEEPBIND;
#endif

path module_file(const std::string& name) {
  std::error_code failed;
  const path program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  const std::array<path, 2> folders = {program, program / SURTITLE_MODULES};
  for (const path& folder : folders) {
    if (std::filesystem::exists(folder / name, failed)) return folder / name;
  }
  throw std::runtime_error(name + ": not found in " + folders[0].string() + " or " +
                           folders[1].string());
}

}  // namespace

const void* open_module(const std::string& name, const char* entry, bool own_symbols) {
  const path file = module_file(name);
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | (own_symbols ? kOwnSymbols : 0));
  if (handle == nullptr) throw std::runtime_error(std::string("cannot open ") + dlerror());
  void* function = dlsym(handle, entry);
  return function == nullptr ? nullptr : reinterpret_cast<const void* (*)()>(function)();
}

}  // namespace surtitle
