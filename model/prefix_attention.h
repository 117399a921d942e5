// Attention of single positions over the beginning of a cached sentence, on the CPU.
//
// Nothing is gathered, padded or masked: each query reads the keys and values of its own prefix
// where they lie. Sums go over the prefix in order, so a query's result does not depend on its
// batch.
#pragma once

#include <cstdint>
#include <vector>

namespace surtitle {

struct PrefixQuery {
  const float* query = nullptr;      // [C], scaled
  const float* key_value = nullptr;  // [visible, 2C]: keys, then values
  const float* bias = nullptr;       // [visible], added to the scores of every head; or none
  std::int64_t visible = 0;          // at least 1
  float* context = nullptr;          // [C], written: softmax(query key^T + bias) value
};

// C = heads * d. `scores` is scratch memory that grows as needed.
void attend_prefix(const PrefixQuery& query, int heads, int d, std::vector<float>& scores);

}  // namespace surtitle
