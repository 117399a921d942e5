// Loops that multiply and add in registers at the CPU's full speed.
#pragma once

#include <optional>

namespace surtitle {

struct Peak {
  void (*run)();
  double operations;  // of one run; a multiplication and an addition are two
  const char* instructions;
};

Peak float_peak();                // with the instructions that model/cpu/simd.h chooses
std::optional<Peak> byte_peak();  // with AVX512-VNNI; nullopt if the CPU lacks it

}  // namespace surtitle
