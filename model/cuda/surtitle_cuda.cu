// The whole module as one translation unit: nvcc spends most of its time on CUDA's own headers.
#include "model/cuda/module.cu"
#include "model/cuda/session.cu"
#include "model/cuda/weights.cu"
#if defined(__CUDACC__)
#include "model/cuda/cuda_platform.cu"
#endif
