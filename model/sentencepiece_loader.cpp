#include "model/sentencepiece_loader.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SURTITLE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SURTITLE_SANITIZED 1
#endif
#endif

namespace surtitle {
namespace {

namespace module = sentencepiece_module;
using std::filesystem::path;

#ifdef SURTITLE_SANITIZED
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL;  // the sanitizers refuse DEEPBIND
#else
// DEEPBIND: the module's sentencepiece uses its own protobuf, not the one LibTorch brought.
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

path module_file() {
  constexpr const char* kName = "surtitle_sentencepiece.so";
  std::error_code failed;
  const path program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  const std::array<path, 3> folders = {program, program.parent_path() / "lib" / "surtitle",
                                       SURTITLE_MODULE_FOLDER};
  for (const path& folder : folders) {
    if (std::filesystem::exists(folder / kName, failed)) return folder / kName;
  }
  throw std::runtime_error(std::string(kName) + ": not found in " + folders[0].string() + " or " +
                           folders[1].string());
}

const module::Functions* open_module() {
  const path file = module_file();
  void* handle = dlopen(file.c_str(), kOpenFlags);
  if (handle == nullptr) throw std::runtime_error(std::string("cannot open ") + dlerror());
  void* entry = dlsym(handle, module::kEntry);
  const module::Functions* functions =
      entry == nullptr ? nullptr : reinterpret_cast<const module::Functions* (*)()>(entry)();
  if (functions == nullptr || functions->version != module::kVersion) {
    throw std::runtime_error(file.string() + ": of another version of Surtitle");
  }
  return functions;
}

}  // namespace

const module::Functions& sentencepiece_functions() {
  static const module::Functions* functions = open_module();
  return *functions;
}

}  // namespace surtitle
