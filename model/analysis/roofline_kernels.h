// Loops that do nothing but multiply and add in registers, as fast as the CPU can.
#pragma once

#include <optional>

namespace surtitle {

struct Peak {
  void (*run)();
  double operations;  // of a run; a multiplication and an addition are two
  const char* instructions;
};

Peak float_peak();                // with the instructions that model/cpu/simd.h chooses
std::optional<Peak> byte_peak();  // with AVX512-VNNI; none where there is none

}  // namespace surtitle
