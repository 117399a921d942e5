// The whole module as one translation unit: most of nvcc's time goes into CUDA's own headers.
#include "model/cuda/module.cu"
#include "model/cuda/session.cu"
#include "model/cuda/weights.cu"
#if defined(__CUDACC__)
#include "model/cuda/cuda_platform.cu"
#endif
