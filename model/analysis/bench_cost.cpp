#include "model/analysis/bench_cost.h"

#include "model/cpu/kv_cache.h"

namespace surtitle {
namespace {

// Returns the size of a number that is not stored in 8 bits.
double float_bytes(Precision precision) { return precision == Precision::kHalf ? 2 : 4; }

void add_matrix(double outputs, double inputs, Precision precision, TokenCost& cost) {
  const double elements = outputs * inputs;
  if (precision == Precision::kInt8) {
    cost.byte_operations += 2 * elements;
    cost.weight_bytes += elements + sizeof(float) * outputs;
  } else {
    cost.float_operations += 2 * elements;
    cost.weight_bytes += float_bytes(precision) * elements;
  }
}

// Adds self-attention and feed-forward, which layers of both stacks have.
void add_layer(const ModelConfig& config, Precision precision, TokenCost& cost) {
  const double c = config.d_model;
  add_matrix(3 * c, c, precision, cost);
  add_matrix(c, c, precision, cost);
  add_matrix(config.ffn, c, precision, cost);
  add_matrix(c, config.ffn, precision, cost);
}

// Returns the bytes of the key and the value of one position.
double position_bytes(const ModelConfig& config, Precision precision) {
  if (precision == Precision::kHalf) return 2 * float_bytes(precision) * config.d_model;
  const KvCache cache(
      {.slots = 1, .positions = 1, .heads = config.heads, .d = config.d_model / config.heads},
      precision);
  return static_cast<double>(cache.bytes_per_position());
}

}  // namespace

ModelCost cost_of(const ModelConfig& config, Precision precision, int length) {
  const double c = config.d_model;
  ModelCost cost;
  for (int layer = 0; layer < config.encoder_layers; ++layer)
    add_layer(config, precision, cost.encode);
  for (int layer = 0; layer < config.decoder_layers; ++layer) {
    add_layer(config, precision, cost.decode);
    add_matrix(c, c, precision, cost.decode);      // cross-attention's query
    add_matrix(c, c, precision, cost.decode);      // its output
    add_matrix(2 * c, c, precision, cost.encode);  // its keys and values
    for (const auto& tensor : config.cross_tensors_of(layer))
      if (tensor.shape.size() == 2 && tensor.shape[1] >= config.d_model)  // such as wp
        add_matrix(static_cast<double>(tensor.shape[0]), static_cast<double>(tensor.shape[1]),
                   precision, cost.decode);
  }
  add_matrix(config.target_vocabulary, c, precision, cost.decode);
  const double position = position_bytes(config, precision);
  cost.encode.cached_bytes = position * length * config.encoder_layers;
  cost.decode.cached_bytes = position * length * 2 * config.decoder_layers;
  cost.table_bytes = float_bytes(precision) * c *
                     (config.target_vocabulary +
                      (config.shared_embeddings ? 0.0 : double{1} * config.source_vocabulary));
  return cost;
}

double sentence_bytes(const ModelConfig& config, Precision precision, int source, int target) {
  const int positions =
      source * (config.encoder_layers + config.decoder_layers) + target * config.decoder_layers;
  return position_bytes(config, precision) * positions;
}

}  // namespace surtitle
