// A model's weights in a device's memory.
//
// Matrices are in the storage type T, all others in float32.
//
// Thread-safety: immutable after construction.
#pragma once

#include <vector>

#include "model/cuda/module.h"
#include "model/cuda/platform.h"
#include "model/cuda/row_kernels.h"

namespace surtitle::cuda {

template <typename T>
struct DeviceLinear {
  Buffer<T> weight;  // [outputs, inputs]
  Buffer<float> bias;
  int outputs = 0;
  int inputs = 0;
};

struct DeviceNorm {
  Buffer<float> gain;
  Buffer<float> bias;
  NormView view() const { return {gain.get(), bias.get()}; }
};

template <typename T>
struct DeviceLayer {
  DeviceNorm self_norm;
  DeviceLinear<T> self_in;
  DeviceLinear<T> self_out;
  DeviceNorm cross_norm;
  DeviceLinear<T> cross_in;
  Buffer<float> vp;
  DeviceLinear<T> cross_out;
  DeviceNorm ffn_norm;
  DeviceLinear<T> fc1;
  DeviceLinear<T> fc2;
};

template <typename T>
struct DeviceWeights {
  DeviceWeights(const cuda_module::Model& model, Stream& stream);

  std::vector<DeviceLayer<T>> encoder;
  std::vector<DeviceLayer<T>> decoder;
  DeviceLinear<T> cross_key_value;
  DeviceNorm encoder_norm;
  DeviceNorm decoder_norm;
  Buffer<T> source_table;  // empty: the target's
  Buffer<T> target_table;
  Buffer<T> output;  // empty: the target's table
  Buffer<float> sinusoids;

  const T* source() const { return source_table ? source_table.get() : target_table.get(); }
  const T* projection() const { return output ? output.get() : target_table.get(); }
};

extern template struct DeviceWeights<Half>;
extern template struct DeviceWeights<float>;

}  // namespace surtitle::cuda
