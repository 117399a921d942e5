// The cross-attention of decoder layers: `cross_attention:` in model.yaml and in a training recipe.
//
//   cross_attention: gma                                      every layer, the type's defaults
//   cross_attention: {type: gma, prior: laplace}              every layer
//   cross_attention:                                          some layers; the others: dot-product
//     - {layers: top 2, type: gaussian-mixture, components: 6}
//     - {layers: [0, 2], type: sact}
//
// `layers` is all (the default), "top N", "middle N", "bottom N" or a list of layers, counted from
// the lowest, which is 0. The headers of the variants have the equations.
//
// Thread-safety: plain values; all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace YAML {
class Node;
}

namespace surtitle {

// Scaled dot-product attention (Vaswani et al. 2017).
struct DotProductOptions {
  // Divides the scores. Above 1 attention is wider, below 1 narrower. Lin et al. 2018 compare 0.8
  // to 1.2.
  double temperature = 1;
  bool operator==(const DotProductOptions&) const = default;
};

// Gaussian multi-head attention (Zhang & Feng 2022); model/torch/gma.h.
struct GmaOptions {
  enum class Alignment { kIncremental, kAbsolute };
  enum class Prior { kGaussian, kLaplace, kLinear, kNone };
  enum class Sigma { kWhole, kHalf, kThird, kPredicted };
  enum class SharedBy { kNone, kHeads, kLayers, kAll };
  Alignment alignment = Alignment::kIncremental;  // predicts the increment of p, or p itself
  Prior prior = Prior::kGaussian;
  Sigma sigma = Sigma::kHalf;  // the prior's width: p/1, p/2, p/3, or predicted
  // Which heads share a p: none; the heads of a layer; head h of all GMA layers; or all of them.
  SharedBy shared_by = SharedBy::kHeads;
  bool operator==(const GmaOptions&) const = default;
};

// Gaussian mixture attention (Zhang & Feng 2021); model/torch/gaussian_mixture.h.
struct GaussianMixtureOptions {
  enum class Normalisation { kApproximate, kStrict, kNone };
  enum class Gate { kPredicted, kAverage, kMixture };
  enum class Shared { kNone, kMean, kVariance, kWeight };
  int components = 4;  // K; each costs three outputs of the predictors
  Normalisation normalisation = Normalisation::kApproximate;
  Gate gate = Gate::kPredicted;   // the mixing with dot-product attention
  Shared shared = Shared::kNone;  // the parameter that all components share
  bool operator==(const GaussianMixtureOptions&) const = default;
};

// Gaussians that are not learnt (You et al. 2020); model/torch/gaussian_baselines.h.
struct HardCodedOptions {
  double ratio = 1;  // source tokens for each target token
  double sigma = 1;  // source tokens
  bool operator==(const HardCodedOptions&) const = default;
};

// A Gaussian bias around a predicted centre (Yang et al. 2018);
// model/torch/gaussian_baselines.h.
struct LocalnessOptions {
  bool operator==(const LocalnessOptions&) const = default;
};

// Global and local attention (Luong et al. 2015); model/torch/luong.h.
struct LuongOptions {
  enum class Score { kDot, kGeneral, kConcat };
  enum class Reach { kGlobal, kLocalMonotonic, kLocalPredictive };
  Score score = Score::kDot;
  Reach reach = Reach::kGlobal;
  int window = 10;  // D: a local step sees [p - D, p + D]
  bool input_feeding = false;
  bool operator==(const LuongOptions&) const = default;
};

// Hard monotonic multi-head attention (Ma et al. 2020); model/torch/mma.h.
struct MmaOptions {
  double bias = -2;  // initial bias of the energies; below 0, heads are first unlikely to stop
  // Standard deviation of the noise on energies in training. More noise makes decisions sharper.
  double noise = 1;
  bool operator==(const MmaOptions&) const = default;
};

// Self-adaptive control of temperature (Lin et al. 2018); model/torch/sact.h.
struct SactOptions {
  double lambda = 4;  // temperatures are between 1 / lambda and lambda
  bool operator==(const SactOptions&) const = default;
};

using CrossAttention =
    std::variant<DotProductOptions, GmaOptions, GaussianMixtureOptions, HardCodedOptions,
                 LocalnessOptions, LuongOptions, MmaOptions, SactOptions>;

// One entry for all decoder layers, or one for each, from the lowest.
using CrossAttentions = std::vector<CrossAttention>;

// Reads the field `cross_attention` of a model with this number of decoder layers. Throws
// std::runtime_error: "FILE:LINE: what is wrong; what is allowed".
CrossAttentions parse_cross_attentions(const YAML::Node& node, const std::string& file,
                                       int decoder_layers);

// Returns the field's value as YAML on one line.
std::string to_yaml(const CrossAttentions& attentions);

// A parameter of a cross-attention beside those that every attention has.
struct CrossTensor {
  std::string name;                 // "wp", under "decoder.layers.N.encoder_attn."
  std::vector<std::int64_t> shape;  // two dimensions: a matrix; one: a bias
  double initial = 0;               // initial value of a bias
};

// Returns the parameters of a layer's cross-attention. `leads` is false if it uses the aligned
// positions of a lower layer.
std::vector<CrossTensor> cross_tensors(const CrossAttention& attention, int d_model, int heads,
                                       bool leads);

// Whether layers with these options use the aligned positions of the lowest of them.
bool shares_alignment(const CrossAttention& attention);

// Returns the number of aligned positions that a layer predicts at a step: 1, or one for each head
// or component.
int alignments(const CrossAttention& attention, int heads);

}  // namespace surtitle
