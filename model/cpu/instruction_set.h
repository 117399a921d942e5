// Vector instructions of the CPU, by which kernels are chosen at the start.
//
// The environment variable SURTITLE_INSTRUCTIONS limits the choice, so that tests and benchmarks
// run what other machines run: "avx2" on a machine with AVX-512 means AVX2.
//
// Thread-safety: all functions may be called by any thread.
#pragma once

#include <string>

namespace surtitle {

// In the order in which they are preferred. The dot product is of bytes.
enum class InstructionSet {
  kPlain,       // "plain": what every CPU of the architecture has
  kAvx2,        // "avx2": AVX2 and FMA
  kAvxVnni,     // "avx-vnni": AVX2, and VNNI's dot product in its VEX encoding
  kAvx512,      // "avx512": F, VL, BW and DQ
  kAvx512Vnni,  // "avx512-vnni"
  kDotProduct,  // "dotprod": Arm's
};

// Returns whether this CPU has the instructions.
bool has(InstructionSet instructions);

// Returns the best set that this CPU has and SURTITLE_INSTRUCTIONS does not exclude. Throws
// std::invalid_argument if the variable has another value than a name above.
InstructionSet instruction_set();

std::string name_of(InstructionSet instructions);

}  // namespace surtitle
