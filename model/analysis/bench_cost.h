// What a model's matrices ask of a device for each token: operations and bytes. Norms, biases and
// attention's operations are left out.
#pragma once

#include "model/cpu/cpu_linear.h"
#include "model/package/config.h"

namespace surtitle {

struct TokenCost {
  double byte_operations = 0;   // on bytes; a multiplication and an addition are two
  double float_operations = 0;  // likewise, on float32
  double weight_bytes = 0;      // of the matrices that a call reads, however many tokens it takes
  double cached_bytes = 0;      // of the keys and values that a token reads
};

struct ModelCost {
  TokenCost decode;        // a decoder step
  TokenCost encode;        // a source token
  double table_bytes = 0;  // of the embeddings
};

// Of tokens that see `length` source and target positions.
ModelCost cost_of(const ModelConfig& config, Precision precision, int length);

// Keys and values of a sentence of so many source and target tokens, in bytes.
double sentence_bytes(const ModelConfig& config, Precision precision, int source, int target);

}  // namespace surtitle
