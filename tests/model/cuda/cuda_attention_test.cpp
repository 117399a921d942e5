// Compares the CUDA module's emulated attention kernels with LibTorch: with model/torch on random
// input, and with the released code in the golden folder.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <vector>

#include "model/cuda/attention_kernels.h"
#include "model/package/safetensors.h"
#include "model/torch/gma.h"
#include "tests/golden_files.h"

namespace surtitle {
namespace {

using cuda::Buffer;
using cuda_module::DecodeRow;
using cuda_module::Outcome;

// A cross-attention with target positions as slots. Each is a row of one batch, and each slot has
// the sentence's keys and values.
struct Case {
  int heads = 0;
  float alignment_offset = 0;
  torch::Tensor query;      // [T, C], scaled
  torch::Tensor key_value;  // [S, 2C]
  torch::Tensor hidden;     // [T, C]: query wp
  torch::Tensor vp;         // [C]
  int length = 0;           // number of source positions
};

struct Result {
  torch::Tensor context;          // [T, C]
  std::vector<Outcome> outcomes;  // [T]
};

Buffer<float> upload(const torch::Tensor& values) {
  const auto plain = values.to(torch::kFloat).contiguous();
  auto buffer = cuda::allocate<float>(static_cast<std::size_t>(plain.numel()));
  std::copy_n(plain.data_ptr<float>(), plain.numel(), buffer.get());
  return buffer;
}

// Runs the kernels as a Session does: writes the cache, then all steps as one batch. A slot's sum
// has the increments of the steps before.
template <typename T>
Result attend_on_cuda(const Case& given, const torch::Tensor& sums_before) {
  const auto steps = static_cast<int>(given.query.size(0));
  const auto width = static_cast<int>(given.query.size(1));
  const auto source = static_cast<int>(given.key_value.size(0));
  const auto shape = cuda::attention_shape<T>(given.heads, width / given.heads);
  const auto count = [](int size) { return static_cast<std::size_t>(size); };
  const auto cache = cuda::allocate<T>(count(steps) * count(source) * 2 * count(width));
  const cuda::CacheView<T> view{cache.get(), steps, source, width};
  const auto key_value = upload(given.key_value);
  const auto projected = upload(torch::cat({given.query, given.hidden}, 1));
  const auto vp = upload(given.vp);
  const auto no_bias = upload(torch::zeros({2 * width}));
  const auto source_places = cuda::allocate<cuda::RowSlot>(count(source));
  const auto places = cuda::allocate<cuda::RowSlot>(count(steps));
  const auto rows = cuda::allocate<DecodeRow>(count(steps));
  const auto outcomes = cuda::allocate<Outcome>(count(steps));
  const auto sums = cuda::allocate<double>(count(steps));
  const auto step_sums = cuda::allocate<double>(count(steps));
  const auto context = cuda::allocate<T>(count(steps) * count(width));
  cuda::Stream stream;
  for (int t = 0; t < steps; ++t) {
    for (int j = 0; j < source; ++j) source_places[count(j)] = {t, j};
    stream.launch(cuda::write_source<T>, {.blocks = source},
                  {.places = source_places.get(),
                   .key_value = key_value.get(),
                   .stride = 2 * width,
                   .bias = no_bias.get(),
                   .cache = view,
                   .first_layer = 0});
    stream.synchronize();
    places[count(t)] = {t, t};
    rows[count(t)] = {.slot = t,
                      .target_index = t,
                      .previous = 0,
                      .encoded = given.length,
                      .min_visible = 0,
                      .max_visible = given.length,
                      .alignment_offset = given.alignment_offset,
                      .advance = 0,
                      .banned = {}};
    outcomes[count(t)] = {};
    sums[count(t)] = sums_before[t].item<double>();
  }
  stream.launch(cuda::cross_attention<T>,
                {.blocks = steps,
                 .threads = shape.lanes * shape.phases,
                 .shared = cuda::attention_shared<T>(shape)},
                {.places = places.get(),
                 .steps = rows.get(),
                 .outcomes = outcomes.get(),
                 .projected = projected.get(),
                 .stride = 2 * width,
                 .bias = no_bias.get(),
                 .vp = vp.get(),
                 .model_width = width,
                 .sums = sums.get(),
                 .step_sums = step_sums.get(),
                 .layers = 1,
                 .layer = 0,
                 .cache = view,
                 .shape = shape,
                 .context = context.get()});
  stream.synchronize();
  Result result{torch::empty({steps, width}), {outcomes.get(), outcomes.get() + steps}};
  for (int i = 0; i < steps * width; ++i)
    result.context.data_ptr<float>()[i] = cuda::to_float(context[count(i)]);
  return result;
}

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.to(torch::kDouble) - b.to(torch::kDouble)).abs().max().item<double>();
}

// Compares with LibTorch's formula: prior, mask, softmax and weighting one after the other.
void expect_formula(GmaAttentionImpl& attention, int heads, float alignment_offset,
                    const torch::Tensor& x, const torch::Tensor& z, int length,
                    const torch::Tensor* expected) {
  const auto index = torch::arange(x.size(0)).unsqueeze(0);
  const auto query = attention.project_query(x.unsqueeze(0));
  const auto key_value = attention.project_key_value(z.unsqueeze(0));
  const auto parameters = attention.named_parameters();
  const auto increments = attention.increments(query, index)[0].squeeze(-1).to(torch::kDouble);
  const auto before = torch::cumsum(increments, 0) - increments;
  const Case given{.heads = heads,
                   .alignment_offset = alignment_offset,
                   .query = query[0],
                   .key_value = key_value[0],
                   .hidden = torch::matmul(query[0], parameters["wp"]),
                   .vp = parameters["vp"].squeeze(1),
                   .length = length};
  const auto positions = attention.positions(
      torch::cumsum(increments, 0).to(torch::kFloat).view({1, -1, 1}), index);  // [1, T, 1]
  const auto visible =
      torch::clamp(torch::ceil(positions.squeeze(-1) + alignment_offset), 1, length)
          .to(torch::kLong);
  const auto by_formula =
      attention.attend({query, positions, index, visible, {}}, key_value).output[0];
  const auto project = [&](const torch::Tensor& context) {
    return torch::linear(context, parameters["out_proj.weight"], parameters["out_proj.bias"]);
  };
  const auto exact = attend_on_cuda<float>(given, before);
  EXPECT_LT(largest_difference(project(exact.context), expected ? *expected : by_formula), 1e-5);
  EXPECT_LT(largest_difference(project(exact.context), by_formula), 1e-5);
  for (std::size_t t = 0; t < exact.outcomes.size(); ++t)
    EXPECT_EQ(exact.outcomes[t].visible, visible.view({-1})[static_cast<int>(t)].item<int>());
  const auto half = attend_on_cuda<cuda::Half>(given, before);
  EXPECT_LT(largest_difference(project(half.context), by_formula), 1e-2);
}

TEST(CudaAttention, EqualsLibTorchsFormula) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(3);
  for (const auto& [width, heads] : {std::pair{64, 2}, std::pair{256, 4}, std::pair{24, 3}}) {
    SCOPED_TRACE(width);
    GmaAttentionImpl attention({}, cross_tensors(GmaOptions(), width, heads, /*leads=*/true), width,
                               heads, 0);
    attention.eval();
    expect_formula(attention, heads, 1, torch::randn({9, width}), torch::randn({40, width}), 33,
                   nullptr);
  }
}

torch::Tensor tensor_of(const SafetensorsFile& file, const std::string& name) {
  const auto* view = file.find(name);
  const auto type = view->dtype == DType::kI64 ? torch::kLong : torch::kFloat;
  return torch::from_blob(const_cast<std::byte*>(view->data.data()), view->shape, type).clone();
}

TEST(golden_cuda_attention, EqualsReleasedCode) {
  const torch::NoGradGuard no_grad;
  for (const auto& path : golden_files("gma_attention_", ".safetensors")) {
    SCOPED_TRACE(path.string());
    const SafetensorsFile file(path);
    const int width = std::stoi(file.metadata().at("embed_dim"));
    const int heads = std::stoi(file.metadata().at("heads"));
    GmaAttentionImpl attention({}, cross_tensors(GmaOptions(), width, heads, /*leads=*/true), width,
                               heads, 0);
    attention.eval();
    for (auto& item : attention.named_parameters()) item.value().copy_(tensor_of(file, item.key()));
    const auto x = tensor_of(file, "query");
    const auto z = tensor_of(file, "key_value");
    const auto lengths = tensor_of(file, "key_lengths");
    const auto expected = tensor_of(file, "attn");
    for (std::int64_t sentence = 0; sentence < x.size(1); ++sentence) {
      const auto output = expected.select(1, sentence);
      expect_formula(attention, heads, std::stof(file.metadata().at("delta")),
                     x.select(1, sentence), z.select(1, sentence), lengths[sentence].item<int>(),
                     &output);
    }
  }
}

}  // namespace
}  // namespace surtitle
