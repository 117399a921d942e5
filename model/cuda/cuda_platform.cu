#include <stdexcept>
#include <string>

#include "model/cuda/cuda_platform.h"

namespace surtitle::cuda {
namespace {

// The workspace that cuBLAS recommends for devices of compute capability 9.
constexpr std::size_t kWorkspace = std::size_t{32} << 20;

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("CUDA: cannot ") + what + ": " +
                             cublasGetStatusString(status));
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: cannot ") + what + ": " +
                             cudaGetErrorString(status));
}

void* device_allocate(std::size_t bytes) {
  void* memory = nullptr;
  const auto status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error, which the next call would report again
    throw OutOfMemory(bytes);
  }
  check(status, "allocate memory");
  return memory;
}

void device_free(void* memory) noexcept { cudaFree(memory); }

void* pinned_allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "allocate pinned memory");
  return memory;
}

void pinned_free(void* memory) noexcept { cudaFreeHost(memory); }

std::size_t device_memory_left() {
  std::size_t left = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&left, &total), "read the free memory");
  return left;
}

std::string device_name() {
  int count = 0;
  const auto status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess && status != cudaErrorNoDevice)
    throw std::runtime_error(std::string("no CUDA device: ") + cudaGetErrorString(status));
  if (count == 0) throw std::runtime_error("no CUDA device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "read the properties of the device");
  if (properties.major < 8)
    throw std::runtime_error(std::string("no CUDA device: ") + properties.name +
                             " has compute capability " + std::to_string(properties.major) + "." +
                             std::to_string(properties.minor) + "; at least 8.0 is needed");
  return properties.name;
}

Stream::Stream() {
  try {
    // CUDA's current device is a setting of the thread, and this thread may not have chosen one.
    check(cudaSetDevice(0), "select the device");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    check(cublasCreate(&cublas_), "start cuBLAS");
    check(cublasSetStream(cublas_, stream_), "set cuBLAS's stream");
    workspace_ = allocate<unsigned char>(kWorkspace);
    check(cublasSetWorkspace(cublas_, workspace_.get(), kWorkspace), "set cuBLAS's workspace");
  } catch (...) {
    if (cublas_ != nullptr) cublasDestroy(cublas_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
    throw;
  }
}

Stream::~Stream() {
  cudaStreamSynchronize(stream_);
  cublasDestroy(cublas_);
  cudaStreamDestroy(stream_);
}

void Stream::product(const void* x, int rows, const void* w, int outputs, int inputs, float* y,
                     bool add, cudaDataType_t type) {
  const float one = 1;
  const float beta = add ? 1 : 0;
  // cuBLAS is column-major: y^T = w x^T.
  check(cublasGemmEx(cublas_, CUBLAS_OP_T, CUBLAS_OP_N, outputs, rows, inputs, &one, w, type,
                     inputs, x, type, inputs, &beta, y, CUDA_R_32F, outputs, CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT),
        "multiply matrices");
}

void Stream::product(const Half* x, int rows, const Half* w, int outputs, int inputs, float* y,
                     bool add) {
  product(x, rows, w, outputs, inputs, y, add, CUDA_R_16F);
}

void Stream::product(const float* x, int rows, const float* w, int outputs, int inputs, float* y,
                     bool add) {
  product(x, rows, w, outputs, inputs, y, add, CUDA_R_32F);
}

void Stream::upload(void* device, const void* pinned, std::size_t bytes) {
  check(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream_),
        "copy to the device");
}

void Stream::download(void* pinned, const void* device, std::size_t bytes) {
  check(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, stream_),
        "copy from the device");
}

void Stream::copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "copy");
}

void Stream::begin_capture() {
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture a graph");
}

Graph Stream::end_capture() {
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream_, &graph), "capture a graph");
  cudaGraphExec_t exec = nullptr;
  const auto status = cudaGraphInstantiateWithFlags(&exec, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "instantiate a graph");
  return Graph(exec);
}

void Stream::abandon_capture() noexcept {
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cudaGetLastError();
}

void Stream::replay(const Graph& graph) {
  check(cudaGraphLaunch(graph.get(), stream_), "start a graph");
}

void Stream::synchronize() { check(cudaStreamSynchronize(stream_), "synchronize a stream"); }

}  // namespace surtitle::cuda
