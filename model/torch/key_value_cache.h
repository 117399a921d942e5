// Keys and values of sentences under way, in places that never move.
#pragma once

#include <torch/torch.h>

namespace surtitle {

// Which rows of a cache a batch of new positions belongs to.
struct CacheRows {
  torch::Tensor slots;      // int64 [B]
  torch::Tensor positions;  // int64 [B, T]: place of each new token in its sentence, from 0
  std::int64_t length = 0;  // the longest prefix, new tokens included, that any row attends to
};

// Keys and values of one attention layer for a fixed number of slots.
struct KeyValueCache {
  torch::Tensor key_value;  // [slot, position, 2C], contiguous

  // Writes [B, T, 2C] to the rows' places.
  void write(const CacheRows& rows, const torch::Tensor& values) const;
  // The first `length` positions of the slots: [B, length, 2C].
  torch::Tensor prefix(const torch::Tensor& slots, std::int64_t length) const;
};

}  // namespace surtitle
