// The cross-attentions by the equations of their papers, for comparison.
//
// They compute one sentence, one head and one source token at a time, in float64.
// model/torch/attention.h computes the same in batches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/package/cross_attention_options.h"

namespace surtitle {

using PlainVector = std::vector<double>;
using PlainMatrix = std::vector<PlainVector>;  // rows

struct PlainAttention {
  CrossAttention attention;
  int heads = 1;
  // Parameters by their names in a package; a vector is a matrix of one row.
  std::map<std::string, PlainMatrix> tensors;

  struct Result {
    PlainMatrix output;     // [T][C]
    PlainVector positions;  // [T]: the policy's p
  };
  // Computes the layer for decoder states x [T][C] that see the first visible[t] of the encoder
  // states z [S][C].
  Result operator()(const PlainMatrix& x, const PlainMatrix& z,
                    const std::vector<int>& visible) const;
};

}  // namespace surtitle
