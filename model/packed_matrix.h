// A weight matrix laid out for the CPU's inference, where few rows at a time are multiplied with
// it.
//
// Layout: panels of 16 outputs, [outputs / 16][inputs][16], the last panel filled up with zeros:
// one vector load brings one input's weights of 16 outputs, and nothing is repacked at every
// product as a BLAS does.
//
// Every output is summed over the inputs in their order, however many rows are multiplied and
// whichever threads do it: a row's result does not depend on its batch.
//
// Thread-safety: immutable after construction.
#pragma once

#include <cstdint>
#include <memory>

namespace surtitle {

class PackedMatrix {
 public:
  static constexpr std::int64_t kPanel = 16;

  PackedMatrix() = default;
  // Weight W row-major [outputs, inputs].
  PackedMatrix(const float* weight, std::int64_t outputs, std::int64_t inputs);

  bool empty() const { return outputs_ == 0; }
  std::int64_t outputs() const { return outputs_; }
  std::int64_t inputs() const { return inputs_; }

  // Outputs [first, first + count) of some rows of x.
  struct Product {
    const float* x = nullptr;  // [rows, inputs]
    std::int64_t rows = 0;
    const float* bias = nullptr;  // [outputs], or none
    std::int64_t first = 0;       // a multiple of kPanel
    std::int64_t count = 0;
    float* y = nullptr;       // output `first` of the first row
    std::int64_t stride = 0;  // of y, from row to row
  };
  // y = x W^T + bias.
  void multiply(const Product& product) const;

 private:
  struct Free {
    void operator()(float* memory) const;
  };

  std::int64_t outputs_ = 0;
  std::int64_t inputs_ = 0;
  std::unique_ptr<float, Free> panels_;
};

}  // namespace surtitle
