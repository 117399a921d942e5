// Autocasts matrix products during its lifetime, on the CPU or CUDA.
//
// With float32 it does nothing. Thread-safety: none; it changes the calling thread's mode.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/torch.h>
#include <torch/version.h>

namespace surtitle {

class MixedPrecision {
 public:
  MixedPrecision(torch::Device device, torch::ScalarType products)
      : cuda_(device.is_cuda()), on_(products != torch::kFloat) {
    if (!on_) return;
    set(true);
    set_type(products);
    at::autocast::increment_nesting();
  }
  ~MixedPrecision() {
    if (!on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    set(false);
  }
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  c10::DeviceType type() const { return cuda_ ? at::kCUDA : at::kCPU; }
  void set(bool enabled) const { at::autocast::set_autocast_enabled(type(), enabled); }
  void set_type(torch::ScalarType products) const {
    at::autocast::set_autocast_dtype(type(), products);
  }
#else
  void set(bool enabled) const {
    if (cuda_) {
      at::autocast::set_enabled(enabled);
    } else {
      at::autocast::set_cpu_enabled(enabled);
    }
  }
  void set_type(torch::ScalarType products) const {
    if (cuda_) {
      at::autocast::set_autocast_gpu_dtype(products);
    } else {
      at::autocast::set_autocast_cpu_dtype(products);
    }
  }
#endif

  bool cuda_;
  bool on_;
};

}  // namespace surtitle
