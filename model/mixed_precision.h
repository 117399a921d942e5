// bfloat16 autocast for the life of the object, on the CPU or CUDA.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

namespace surtitle {

class MixedPrecision {
 public:
  explicit MixedPrecision(torch::Device device) : cuda_(device.is_cuda()) {
    set(true);
    cuda_ ? at::autocast::set_autocast_gpu_dtype(torch::kBFloat16)
          : at::autocast::set_autocast_cpu_dtype(torch::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~MixedPrecision() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    set(false);
  }
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  void set(bool enabled) const {
    cuda_ ? at::autocast::set_enabled(enabled) : at::autocast::set_cpu_enabled(enabled);
  }

  bool cuda_;
};

}  // namespace surtitle
