// The parameters of each cross-attention.
#include "model/package/cross_attention_options.h"

namespace surtitle {
namespace {

// Makes the parameters of a cross-attention, with the names of its header.
class TensorsOf {
 public:
  TensorsOf(int d_model, int heads, bool leads)
      : c_(d_model), h_(heads), d_(d_model / heads), leads_(leads) {}

  std::vector<CrossTensor> operator()(const DotProductOptions&) const { return {}; }
  std::vector<CrossTensor> operator()(const HardCodedOptions&) const { return {}; }

  std::vector<CrossTensor> operator()(const GmaOptions& options) const {
    const std::int64_t positions = alignments(options, static_cast<int>(h_));
    std::vector<CrossTensor> tensors;
    if (leads_) tensors = {{"wp", {c_, c_}}, {"vp", {c_, positions}}};
    if (options.sigma == GmaOptions::Sigma::kPredicted &&
        options.prior != GmaOptions::Prior::kNone) {
      tensors.push_back({"sigma_w", {c_, c_}});
      tensors.push_back({"sigma_v", {c_, positions}});
    }
    return tensors;
  }

  std::vector<CrossTensor> operator()(const GaussianMixtureOptions& options) const {
    using Options = GaussianMixtureOptions;
    std::vector<CrossTensor> tensors;
    const auto predictor = [&](const std::string& name, std::int64_t outputs) {
      tensors.push_back({name + "_w", {c_, c_}});
      tensors.push_back({name + "_b1", {c_}});
      tensors.push_back({name + "_v", {c_, outputs}});
      tensors.push_back({name + "_b2", {outputs}});
    };
    const auto outputs = [&](Options::Shared shared) -> std::int64_t {
      return options.shared == shared ? 1 : options.components;
    };
    predictor("mean", outputs(Options::Shared::kMean));
    predictor("variance", outputs(Options::Shared::kVariance));
    // Equal weights that sum to 1 need no prediction.
    if (options.shared != Options::Shared::kWeight ||
        options.normalisation == Options::Normalisation::kNone)
      predictor("weight", outputs(Options::Shared::kWeight));
    if (options.gate == Options::Gate::kPredicted) predictor("gate", 1);
    return tensors;
  }

  std::vector<CrossTensor> operator()(const LocalnessOptions&) const {
    return {{"localness_w", {c_, c_}}, {"localness_v", {c_, 2}}};
  }

  std::vector<CrossTensor> operator()(const LuongOptions& options) const {
    std::vector<CrossTensor> tensors;
    if (options.score == LuongOptions::Score::kGeneral) tensors = {{"score_w", {c_, d_}}};
    if (options.score == LuongOptions::Score::kConcat)
      tensors = {{"score_w", {c_, 2 * d_}}, {"score_v", {h_, d_}}};
    if (options.reach == LuongOptions::Reach::kLocalPredictive) {
      tensors.push_back({"local_w", {c_, c_}});
      tensors.push_back({"local_v", {c_, 1}});
    }
    if (options.input_feeding) {
      tensors.push_back({"feed_w", {c_, c_}});
      tensors.push_back({"attentional_w", {c_, 2 * c_}});
    }
    return tensors;
  }

  std::vector<CrossTensor> operator()(const MmaOptions& options) const {
    return {{"energy_bias", {h_}, options.bias}};
  }

  std::vector<CrossTensor> operator()(const SactOptions&) const {
    return {{"temperature_c", {c_, 1}}, {"temperature_s", {c_, 1}}};
  }

 private:
  std::int64_t c_;
  std::int64_t h_;
  std::int64_t d_;
  bool leads_;
};

}  // namespace

std::vector<CrossTensor> cross_tensors(const CrossAttention& attention, int d_model, int heads,
                                       bool leads) {
  return std::visit(TensorsOf(d_model, heads, leads), attention);
}

bool shares_alignment(const CrossAttention& attention) {
  const auto* gma = std::get_if<GmaOptions>(&attention);
  return gma && (gma->shared_by == GmaOptions::SharedBy::kLayers ||
                 gma->shared_by == GmaOptions::SharedBy::kAll);
}

int alignments(const CrossAttention& attention, int heads) {
  if (std::holds_alternative<MmaOptions>(attention)) return heads;
  if (const auto* gma = std::get_if<GmaOptions>(&attention))
    return gma->shared_by == GmaOptions::SharedBy::kNone ||
                   gma->shared_by == GmaOptions::SharedBy::kLayers
               ? heads
               : 1;
  const auto* mixture = std::get_if<GaussianMixtureOptions>(&attention);
  if (mixture && mixture->normalisation == GaussianMixtureOptions::Normalisation::kNone &&
      mixture->shared != GaussianMixtureOptions::Shared::kMean)
    return mixture->components;
  return 1;
}

}  // namespace surtitle
