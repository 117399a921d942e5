// Computes model/torch/luong.h on the CPU.
#include <algorithm>
#include <cmath>

#include "model/cpu/cpu_variants.h"
#include "model/cpu/vector_math.h"

namespace surtitle {
namespace {

using Options = LuongOptions;

// Far below every score, and finite.
constexpr float kOutside = -1e30F;

class Luong final : public CpuCrossAttention {
 public:
  Luong(const Options& options, const CpuCrossWeights& weights)
      : options_(options), width_(weights.width), d_(weights.width / weights.heads) {
    if (options.score != Options::Score::kDot) read_score(weights);
    if (options.reach == Options::Reach::kLocalPredictive)
      centre_ = CpuPredictor(weights, "local_w", "local_v");
    if (!options.input_feeding) return;
    feed_ = {weights.values("feed_w"), {}, width_, weights.precision};
    attentional_ = {weights.values("attentional_w"), {}, 2 * width_, weights.precision};
  }

  bool recurrent() const override { return options_.input_feeding; }
  int parameters() const override { return static_cast<int>(width_) + 1; }

  void prepare(CpuCrossSteps steps, const CpuCrossScratch& scratch) const override {
    const auto rows = static_cast<std::int64_t>(steps.size());
    float* query = steps.front().query;
    if (options_.input_feeding) {
      for (std::int64_t row = 0; row < rows; ++row)
        std::copy_n(steps[static_cast<std::size_t>(row)].before, width_,
                    scratch.wide + row * width_);
      feed_(scratch.wide, rows, query, *scratch.bytes, Epilogue::kAdd);
    }
    float* parameters = steps.front().parameters;
    const auto stride = width_ + 1;
    if (!centre_.empty())
      centre_(centre_.input(query, rows, scratch), scratch, parameters + width_, stride);
    if (options_.score == Options::Score::kDot) return;
    query_.multiply(query_.prepare(query, rows, *scratch.bytes),
                    {.first = 0, .count = width_, .y = parameters, .stride = stride});
  }

  void weigh(const CpuCrossStep& step, CpuCurves& curves, KvCache::Query& query) const override {
    if (options_.score != Options::Score::kDot) query.query = step.parameters;
    if (options_.score == Options::Score::kConcat) query.additive = additive_.data();
    if (options_.reach == Options::Reach::kGlobal) return;
    const auto window = static_cast<float>(options_.window);
    const float centre = centre_of(step);
    query.bias = curves.bias.data();
    for (int j = 0; j < step.visible; ++j)
      curves.bias[static_cast<std::size_t>(j)] =
          std::abs(centre - static_cast<float>(j)) > window ? kOutside : 0;
    if (options_.reach != Options::Reach::kLocalPredictive) return;
    query.scale = curves.scale.data();
    std::fill_n(curves.scale.data(), step.visible, 0.0F);
    add_gaussian(1, centre, window / 2, step.visible, curves.scale.data());
  }

  void remember(CpuCrossSteps steps, const CpuCrossScratch& scratch) const override {
    float* both = scratch.wide;
    for (const auto& step : steps) {
      both = std::copy_n(step.context, width_, both);
      both = std::copy_n(step.query, width_, both);
    }
    attentional_(scratch.wide, static_cast<std::int64_t>(steps.size()), scratch.narrow,
                 *scratch.bytes);
    const float* from = scratch.narrow;
    for (const auto& step : steps) {
      std::copy_n(from, width_, step.memory);
      tanh_of(step.memory, width_);
      from += width_;
    }
  }

  // Concat's part of the keys is merged into their projection: W_a (W k) = (W_a W) k.
  void change_keys(float* weight, float* bias) const override {
    if (options_.score != Options::Score::kConcat) return;
    for (std::int64_t head = 0; head < width_; head += d_) {
      change(head, weight, width_);
      change(head, bias, 1);
    }
  }

 private:
  // Reads the queries' matrix, a block for each head, and concat's other parts.
  void read_score(const CpuCrossWeights& weights) {
    const auto read = weights.values("score_w");
    const bool concat = options_.score == Options::Score::kConcat;
    const auto columns = concat ? 2 * d_ : d_;
    const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
    std::vector<float> matrix(at(width_ * width_));
    for (std::int64_t row = 0; row < width_; ++row) {
      const auto head = row / d_ * d_;
      for (std::int64_t c = 0; c < d_; ++c) {
        const float value = read[at(row * columns + c)];
        // General multiplies from the left, concat from the right.
        const auto to = concat ? row * width_ + head + c : (head + c) * width_ + row;
        matrix[at(to)] = value;
      }
    }
    query_ = {matrix, {}, width_, weights.precision};
    if (!concat) return;
    additive_ = weights.values("score_v");
    for (std::int64_t row = 0; row < width_; ++row)
      of_keys_.insert(of_keys_.end(), read.begin() + row * columns + d_,
                      read.begin() + (row + 1) * columns);
  }

  // Multiplies rows [head, head + d) of `matrix` [C, columns] by the head's part of W_a.
  void change(std::int64_t head, float* matrix, std::int64_t columns) const {
    const std::vector<float> old(matrix + head * columns, matrix + (head + d_) * columns);
    for (std::int64_t row = 0; row < d_; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        double sum = 0;
        for (std::int64_t c = 0; c < d_; ++c)
          sum += static_cast<double>(of_keys_[static_cast<std::size_t>((head + row) * d_ + c)]) *
                 static_cast<double>(old[static_cast<std::size_t>(c * columns + column)]);
        matrix[(head + row) * columns + column] = static_cast<float>(sum);
      }
    }
  }

  float centre_of(const CpuCrossStep& step) const {
    if (centre_.empty()) return static_cast<float>(std::min(step.target_index, step.visible - 1));
    return static_cast<float>(step.visible) / (1 + std::exp(-step.parameters[width_]));
  }

  Options options_;
  std::int64_t width_;
  std::int64_t d_;
  CpuLinear query_;              // general, concat: [C, C]
  std::vector<float> of_keys_;   // concat: [C, d]
  std::vector<float> additive_;  // concat: v_a, [C]
  CpuPredictor centre_;
  CpuLinear feed_;
  CpuLinear attentional_;  // [C, 2C]
};

}  // namespace

std::unique_ptr<const CpuCrossAttention> make_cpu(const LuongOptions& options,
                                                  const CpuCrossWeights& weights) {
  return std::make_unique<Luong>(options, weights);
}

}  // namespace surtitle
