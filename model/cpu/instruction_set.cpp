#include "model/cpu/instruction_set.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace surtitle {
namespace {

constexpr std::array kNames = {"plain", "avx2", "avx-vnni", "avx512", "avx512-vnni", "dotprod"};

#if defined(__x86_64__)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0;
}

// Clang 14 has no name for it.
bool has_avx_vnni() {
  constexpr unsigned kBit = 1U << 4;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return has_avx2() && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kBit) != 0;
}
#endif

// Returns the last set that the variable allows.
InstructionSet limit() {
  const char* wanted = std::getenv("SURTITLE_INSTRUCTIONS");
  if (wanted == nullptr) return InstructionSet::kDotProduct;
  const auto* at = std::find(kNames.begin(), kNames.end(), std::string_view(wanted));
  if (at != kNames.end()) return static_cast<InstructionSet>(at - kNames.begin());
  std::string allowed;
  for (const char* name : kNames) allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  throw std::invalid_argument("SURTITLE_INSTRUCTIONS is '" + std::string(wanted) +
                              "'; allowed: " + allowed);
}

}  // namespace

bool has(InstructionSet instructions) {
  switch (instructions) {
    case InstructionSet::kPlain:
      return true;
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return has_avx2();
    case InstructionSet::kAvxVnni:
      return has_avx_vnni();
    case InstructionSet::kAvx512:
      return has_avx512();
    case InstructionSet::kAvx512Vnni:
      return has_avx512() && __builtin_cpu_supports("avx512vnni") != 0;
#elif defined(__aarch64__) && defined(__linux__)
    case InstructionSet::kDotProduct:
      return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#endif
    default:
      return false;
  }
}

InstructionSet instruction_set() {
  static const InstructionSet chosen = [] {
    auto best = limit();
    while (!has(best)) best = static_cast<InstructionSet>(static_cast<int>(best) - 1);
    return best;
  }();
  return chosen;
}

std::string name_of(InstructionSet instructions) {
  return kNames.at(static_cast<std::size_t>(instructions));
}

}  // namespace surtitle
