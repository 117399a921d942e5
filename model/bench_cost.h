// What a model's matrices ask of a CPU for each token: operations and bytes. Attention to cached
// positions, norms and biases are left out.
#pragma once

#include "model/config.h"
#include "model/cpu_linear.h"

namespace surtitle {

struct TokenCost {
  double byte_operations = 0;   // on bytes; a multiplication and an addition are two
  double float_operations = 0;  // likewise, on float32
  double weight_bytes = 0;      // of the matrices that a call reads, however many tokens it takes
};

struct ModelCost {
  TokenCost decode;        // a decoder step
  TokenCost encode;        // a source token
  double table_bytes = 0;  // of the embeddings
};

ModelCost cost_of(const ModelConfig& config, Precision precision);

// Keys and values of a sentence of so many source and target tokens, in bytes.
double sentence_bytes(const ModelConfig& config, Precision precision, int source, int target);

}  // namespace surtitle
