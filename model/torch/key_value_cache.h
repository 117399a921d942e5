// Cached keys and values of sentences under way, at fixed addresses.
//
// Thread-safety: none.
#pragma once

#include <torch/torch.h>

namespace surtitle {

// Rows of a cache for a batch of new positions.
struct CacheRows {
  torch::Tensor slots;      // int64 [B]
  torch::Tensor positions;  // int64 [B, T]: of each new token in its sentence, from 0
  std::int64_t length = 0;  // the longest prefix, new tokens included, that any row attends to
};

// Keys and values of one attention layer for a fixed number of slots.
struct KeyValueCache {
  torch::Tensor key_value;  // [slot, position, 2C], contiguous

  // Writes `values` [B, T, 2C] to the rows.
  void write(const CacheRows& rows, const torch::Tensor& values) const;
  // Returns the first `length` positions of the slots: [B, length, 2C].
  torch::Tensor prefix(const torch::Tensor& slots, std::int64_t length) const;
};

}  // namespace surtitle
