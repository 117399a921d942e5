// The cost of a token on a device: operations of a model's matrices, and bytes.
//
// Norms, biases and the operations of attention are left out. A layer after a ReLU counts as a
// whole, though in 8 bits neither its products with zeros are computed nor their weights read.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include "model/cpu/cpu_linear.h"
#include "model/package/config.h"

namespace surtitle {

struct TokenCost {
  double byte_operations = 0;   // on 8-bit numbers; a multiplication and an addition are two
  double float_operations = 0;  // on floats; a multiplication and an addition are two
  double weight_bytes = 0;      // of the matrices, which a call reads once for all of its tokens
  double cached_bytes = 0;      // of the keys and values that a token reads
};

struct ModelCost {
  TokenCost decode;        // a decoder step
  TokenCost encode;        // a source token
  double table_bytes = 0;  // of the embeddings
};

// Returns the cost of tokens that see `length` source and target positions.
ModelCost cost_of(const ModelConfig& config, Precision precision, int length);

// Returns the bytes of the keys and values of a sentence with `source` and `target` tokens.
double sentence_bytes(const ModelConfig& config, Precision precision, int source, int target);

}  // namespace surtitle
