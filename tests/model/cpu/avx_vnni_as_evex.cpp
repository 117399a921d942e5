// AVX-VNNI's kernels, compiled in the EVEX encoding: the same operations on CPUs that have
// AVX512-VNNI and lack AVX-VNNI.
#include "model/cpu/simd.h"

#define SURTITLE_TARGET SURTITLE_AVX512_VNNI
#define avx_vnni_kernels compiled_avx_vnni_kernels
#include "model/cpu/byte_kernels_avx_vnni.cpp"

namespace surtitle {

const ByteKernels* avx_vnni_kernels_as_evex() {
  return has(InstructionSet::kAvx512Vnni) ? compiled_avx_vnni_kernels() : nullptr;
}

}  // namespace surtitle
