// Compares the attention kernels with their formula on the emulated device: every kernel, with
// every width of a head.

#include "model/cuda/attention_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/model/support/test_files.h"

namespace surtitle::cuda {
namespace {

constexpr int kPositions = 11;
constexpr int kSlots = 2;
constexpr int kSlot = 1;  // of the sentence
constexpr int kLayers = 2;
constexpr int kLayer = 1;
constexpr double kSumBefore = 2.3;  // of GMA's increments

std::size_t at(int index) { return static_cast<std::size_t>(index); }

Buffer<float> upload(const std::vector<float>& values) {
  auto buffer = allocate<float>(values.size());
  std::copy(values.begin(), values.end(), buffer.get());
  return buffer;
}

// The heads of a model, and one sentence: what its products give without their biases.
template <typename T>
struct Sentence {
  Sentence(int heads_, int head_, std::mt19937& random) : heads(heads_), head(head_) {
    std::normal_distribution<float> normal;
    const auto fill = [&](std::vector<float>& values, int count) {
      values.resize(at(count));
      for (auto& value : values) value = normal(random);
    };
    fill(projected, kPositions * 3 * width());
    fill(bias, 3 * width());
    fill(vp, width());
    for (float& value : vp) value *= 0.1F / std::sqrt(static_cast<float>(width()));
    for (int j = 0; j < kPositions; ++j)
      for (int c = 0; c < width(); ++c)
        projected[at(j * 3 * width() + c)] /= std::sqrt(static_cast<float>(head));
  }

  int width() const { return heads * head; }
  // Returns what the cache stores: key (1) or value (2).
  double stored(int part, int j, int c) const {
    const int column = part * width() + c;
    return to_float(from_float<T>(projected[at(j * 3 * width() + column)] + bias[at(column)]));
  }
  double query(int j, int c) const {
    return static_cast<double>(projected[at(j * 3 * width() + c)]) +
           static_cast<double>(bias[at(c)]);
  }

  // Returns softmax(query key^T + prior) value [W] of position `row` over `visible` positions.
  std::vector<double> attended(int row, int visible, double p) const {
    std::vector<double> context(at(width()));
    for (int first = 0; first < width(); first += head) {
      std::vector<double> weights(at(visible));
      double sum = 0;
      for (int j = 0; j < visible; ++j) {
        double score = p > 0 ? -0.5 * std::pow((p - j) / (p / 2), 2) : 0;
        for (int c = first; c < first + head; ++c) score += query(row, c) * stored(1, j, c);
        sum += weights[at(j)] = std::exp(score);
      }
      for (int c = first; c < first + head; ++c)
        for (int j = 0; j < visible; ++j) context[at(c)] += weights[at(j)] / sum * stored(2, j, c);
    }
    return context;
  }

  int heads;
  int head;
  std::vector<float> projected;  // [positions, 3W]: query, key, value
  std::vector<float> bias;       // [3W]
  std::vector<float> vp;         // [W]
};

template <typename T>
class Kernels {
 public:
  explicit Kernels(const Sentence<T>& sentence)
      : sentence_(sentence),
        shape_(attention_shape<T>(sentence.heads, sentence.head)),
        projected_(upload(sentence.projected)),
        bias_(upload(sentence.bias)),
        cache_(allocate<T>(at(kLayers * kSlots * kPositions * 2 * sentence.width()))),
        places_(allocate<RowSlot>(at(kPositions))),
        context_(allocate<T>(at(kPositions * sentence.width()))) {
    for (int j = 0; j < kPositions; ++j) places_[at(j)] = {kSlot, j};
  }

  // All positions of the sentence at once, after their keys and values.
  void self_of_source() {
    write();
    launch_self(/*rows=*/kPositions, /*write=*/false);
    for (int j = 0; j < kPositions; ++j)
      expect(j, sentence_.attended(j, j + 1, /*p=*/0), "self-attention of the source");
  }

  // One position after another.
  void self_of_target() {
    for (int j = 0; j < kPositions; ++j) {
      // Its row is the last one, as in a batch with other sentences, which have left it.
      for (int row = 0; row < j; ++row) places_[at(row)].slot = kInactive;
      launch_self(/*rows=*/j + 1, /*write=*/true);
      expect(j, sentence_.attended(j, j + 1, /*p=*/0), "self-attention of the target");
    }
  }

  void cross(bool gma) {
    write();
    constexpr int kRow = 3;
    for (int row = 0; row < kPositions; ++row)
      if (row != kRow) places_[at(row)].slot = kInactive;
    const int width = sentence_.width();
    const auto steps = allocate<cuda_module::DecodeRow>(at(kPositions));
    const auto outcomes = allocate<cuda_module::Outcome>(at(kPositions));
    const auto vp = upload(sentence_.vp);
    const auto sums = allocate<double>(at(kSlots * kLayers));
    const auto step_sums = allocate<double>(at(kSlots * kLayers));
    sums[at(kSlot * kLayers + kLayer)] = kSumBefore;
    outcomes[at(kRow)] = {};
    steps[at(kRow)] = {.slot = kSlot,
                       .target_index = kRow,
                       .previous = 0,
                       .encoded = kPositions,
                       .min_visible = gma ? 0 : kPositions - 2,
                       .max_visible = kPositions,
                       .alignment_offset = gma ? 1.0F : -std::numeric_limits<float>::infinity(),
                       .advance = 0,
                       .banned = {}};
    stream_.launch(cross_attention<T>, launch_shape(kPositions),
                   {.places = places_.get(),
                    .steps = steps.get(),
                    .outcomes = outcomes.get(),
                    .projected = projected_.get(),
                    .stride = 3 * width,
                    .bias = bias_.get(),
                    .vp = gma ? vp.get() : nullptr,
                    .model_width = width,
                    .sums = sums.get(),
                    .step_sums = step_sums.get(),
                    .layers = kLayers,
                    .layer = kLayer,
                    .cache = view(),
                    .shape = shape_,
                    .context = context_.get()});
    stream_.synchronize();
    double dot = 0;
    for (int c = 0; c < width; ++c) {
      const auto column = width + c;
      dot += std::tanh(static_cast<double>(sentence_.projected[at(kRow * 3 * width + column)]) +
                       static_cast<double>(sentence_.bias[at(column)])) *
             static_cast<double>(sentence_.vp[at(c)]);
    }
    const double p = kSumBefore + std::exp(dot);
    const int visible = gma ? static_cast<int>(std::ceil(p + 1)) : kPositions - 2;
    EXPECT_EQ(outcomes[at(kRow)].visible, visible);
    expect(kRow, sentence_.attended(kRow, visible, gma ? p : 0),
           gma ? "GMA" : "dot-product cross-attention");
  }

 private:
  CacheView<T> view() { return {cache_.get(), kSlots, kPositions, sentence_.width()}; }
  LaunchShape launch_shape(int rows) const {
    return {.blocks = rows,
            .threads = shape_.lanes * shape_.phases,
            .shared = attention_shared<T>(shape_)};
  }

  void write() {
    const int width = sentence_.width();
    stream_.launch(write_source<T>, {.blocks = kPositions, .threads = kWarp},
                   {.places = places_.get(),
                    .key_value = projected_.get() + width,
                    .stride = 3 * width,
                    .bias = bias_.get() + width,
                    .cache = view(),
                    .first_layer = kLayer});
    stream_.synchronize();
  }

  void launch_self(int rows, bool write) {
    stream_.launch(self_attention<T>, launch_shape(rows),
                   {.places = places_.get(),
                    .projected = projected_.get(),
                    .bias = bias_.get(),
                    .cache = view(),
                    .layer = kLayer,
                    .write = write,
                    .shape = shape_,
                    .context = context_.get()});
    stream_.synchronize();
  }

  void expect(int row, const std::vector<double>& expected, const char* kernel) const {
    // A half has 11 bits; sums are float32 in both.
    const double tolerance = sizeof(T) == sizeof(float) ? 1e-5 : 2e-3;
    for (int c = 0; c < sentence_.width(); ++c)
      ASSERT_NEAR(to_float(context_[at(row * sentence_.width() + c)]), expected[at(c)],
                  tolerance * std::max(1.0, std::abs(expected[at(c)])))
          << kernel << ", row " << row << ", channel " << c;
  }

  const Sentence<T>& sentence_;
  AttentionShape shape_;
  Stream stream_;
  Buffer<float> projected_;
  Buffer<float> bias_;
  Buffer<T> cache_;
  Buffer<RowSlot> places_;
  Buffer<T> context_;
};

template <typename T>
void expect_formula(int heads, int head, std::mt19937& random) {
  SCOPED_TRACE(std::to_string(heads) + " heads of " + std::to_string(head) + ", " +
               std::to_string(sizeof(T)) + " bytes a number");
  const Sentence<T> sentence(heads, head, random);
  Kernels<T>(sentence).self_of_source();
  Kernels<T>(sentence).self_of_target();
  Kernels<T>(sentence).cross(/*gma=*/false);
  Kernels<T>(sentence).cross(/*gma=*/true);
}

TEST(AttentionKernels, EqualTheFormulaWithHeadsOfEveryWidth) {
  std::mt19937 random{17};
  for (int head = 8; head <= 128; head += 8) {
    for (const int heads : {1, 3, 8}) {
      expect_formula<float>(heads, head, random);
      expect_formula<Half>(heads, head, random);
    }
  }
}

TEST(AttentionKernels, RefuseHeadsThatTheyCannotDivide) {
  for (const int head : {0, 4, 20, 136, 256}) {
    const std::string refusal = "a model with 2 heads of " + std::to_string(head) +
                                " channels does not run on CUDA; allowed: multiples of 8 "
                                "channels, up to 128";
    EXPECT_EQ(error_of([&] { attention_shape<float>(2, head); }), refusal);
    EXPECT_EQ(error_of([&] { attention_shape<Half>(2, head); }), refusal);
  }
  EXPECT_EQ(error_of([&] { attention_shape<Half>(33, 8); }),
            "a model with 33 heads of 8 channels does not run on CUDA; allowed: heads that need "
            "up to 1024 threads, not 1056");
}

}  // namespace
}  // namespace surtitle::cuda
