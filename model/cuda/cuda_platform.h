// Implements platform.h on a CUDA device, with the CUDA run-time and cuBLAS.
//
// Products take half or float32 and sum in float32 (no TF32). cuBLAS has a fixed workspace, so that
// it allocates no memory while a graph is captured.
//
// Thread-safety: none. All calls use the first device.
#pragma once

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "model/cuda/memory.h"

#define SURTITLE_KERNEL __global__
#define SURTITLE_DEVICE __device__ __forceinline__

namespace surtitle::cuda {

using Half = __half;

SURTITLE_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
SURTITLE_DEVICE int block_index() { return static_cast<int>(blockIdx.x); }
SURTITLE_DEVICE int block_row() { return static_cast<int>(blockIdx.y); }
SURTITLE_DEVICE int block_threads() { return static_cast<int>(blockDim.x); }
SURTITLE_DEVICE void sync_threads() { __syncthreads(); }

template <typename T>
SURTITLE_DEVICE T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(0xFFFFFFFFU, value, mask);
}

SURTITLE_DEVICE float* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char memory[];
  return reinterpret_cast<float*>(memory);
}

__host__ SURTITLE_DEVICE float to_float(float value) { return value; }
__host__ SURTITLE_DEVICE float to_float(Half value) { return __half2float(value); }

template <typename T>
__host__ SURTITLE_DEVICE T from_float(float value) {
  if constexpr (std::is_same_v<T, Half>) {
    return __float2half_rn(value);
  } else {
    return value;
  }
}

// Throws std::runtime_error with `what` and CUDA's reason unless `status` is success.
void check(cudaError_t status, const char* what);

class Graph {
 public:
  Graph() = default;
  explicit Graph(cudaGraphExec_t exec) : exec_(exec) {}
  Graph(Graph&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(exec_, other.exec_);
    return *this;
  }
  ~Graph() {
    if (exec_ != nullptr) cudaGraphExecDestroy(exec_);
  }
  cudaGraphExec_t get() const { return exec_; }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  template <typename Argument>
  void launch(void (*kernel)(Argument), const LaunchShape& shape,
              const std::type_identity_t<Argument>& argument) {
    auto copy = argument;
    void* arguments[] = {&copy};
    check(cudaLaunchKernel(
              reinterpret_cast<const void*>(kernel),
              dim3(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.rows)),
              dim3(static_cast<unsigned>(shape.threads)), arguments, shape.shared, stream_),
          "start a kernel");
  }

  void product(const Half* x, int rows, const Half* w, int outputs, int inputs, float* y, bool add);
  void product(const float* x, int rows, const float* w, int outputs, int inputs, float* y,
               bool add);

  void upload(void* device, const void* pinned, std::size_t bytes);
  void download(void* pinned, const void* device, std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes);

  template <typename Body>
  Graph capture(const Body& body) {
    begin_capture();
    try {
      body();
    } catch (...) {
      abandon_capture();
      throw;
    }
    return end_capture();
  }
  void replay(const Graph& graph);
  void synchronize();

 private:
  void product(const void* x, int rows, const void* w, int outputs, int inputs, float* y, bool add,
               cudaDataType_t type);
  void begin_capture();
  Graph end_capture();
  void abandon_capture() noexcept;

  cudaStream_t stream_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
  Buffer<unsigned char> workspace_;
};

// Returns the first device's name. Throws std::runtime_error if no device is usable.
std::string device_name();

}  // namespace surtitle::cuda
