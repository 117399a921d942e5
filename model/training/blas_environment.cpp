#include "model/training/blas_environment.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace surtitle {
namespace {

struct Setting {
  const char* name;
  const char* value;
};

// On a CPU of an unknown model, OpenBLAS uses its slowest kernels, whatever instructions the CPU
// has. Measured: 27 GFLOP/s a thread, 149 with these kernels. Returns nullptr to leave the choice
// to OpenBLAS.
const char* blas_kernels() {
#if defined(__x86_64__)
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  if (avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return "Haswell";
#endif
  return nullptr;
}

std::vector<Setting> settings() {
  std::vector<Setting> list = {
      // Waiting threads must sleep, because spinning ones take cores from working threads (measured
      // on two busy cores: 7 ms for a linear layer, not 0.15 ms).
      {"OMP_WAIT_POLICY", "passive"},
      {"GOMP_SPINCOUNT", "0"},
      // By default oneDNN keeps a compiled primitive for every shape that it has seen.
      {"DNNL_PRIMITIVE_CACHE_CAPACITY", "64"},
  };
  if (const char* kernels = blas_kernels()) list.push_back({"OPENBLAS_CORETYPE", kernels});
  return list;
}

std::vector<std::string> arguments() {
  std::vector<std::string> result;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(file, argument, '\0');) result.push_back(argument);
  return result;
}

}  // namespace

void restart_with_blas_environment(const std::filesystem::path& program) {
  for (const auto& setting : settings()) setenv(setting.name, setting.value, /*overwrite=*/0);
  auto words = arguments();
  std::vector<char*> argv(words.size() + 1);  // ends with a null pointer
  std::transform(words.begin(), words.end(), argv.begin(),
                 [](std::string& word) { return word.data(); });
  execv(program.c_str(), argv.data());
  throw std::runtime_error(program.string() +
                           ": cannot be run: " + std::system_category().message(errno) +
                           "; it is part of builds with LibTorch");
}

}  // namespace surtitle
