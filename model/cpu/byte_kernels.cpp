#include "model/cpu/byte_kernels.h"

namespace surtitle {

const ByteKernels* byte_kernels(InstructionSet instructions) {
  if (!has(instructions)) return nullptr;
  switch (instructions) {
    case InstructionSet::kAvx2:
      return avx2_kernels();
    case InstructionSet::kAvxVnni:
      return avx_vnni_kernels();
    case InstructionSet::kAvx512Vnni:
      return avx512_vnni_kernels();
    case InstructionSet::kDotProduct:
      return dot_product_kernels();
    default:
      return nullptr;
  }
}

const ByteKernels* byte_kernels() {
  static const ByteKernels* chosen = [] {
    const ByteKernels* kernels = nullptr;
    for (int at = static_cast<int>(instruction_set()); at >= 0 && kernels == nullptr; --at)
      kernels = byte_kernels(static_cast<InstructionSet>(at));
    return kernels;
  }();
  return chosen;
}

}  // namespace surtitle
