// Compares GMA's computation with the released one: every gma_attention_* and gma_model_* file of
// the golden folder.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>

#include "model/torch/gma.h"
#include "model/torch/transformer.h"
#include "policies/registry.h"
#include "tests/golden_files.h"
#include "tests/golden_models.h"

namespace surtitle {
namespace {

constexpr double kTolerance = 1e-5;

torch::Tensor tensor_of(const SafetensorsFile& file, const std::string& name) {
  const auto* view = file.find(name);
  if (!view) throw std::runtime_error(file.path().string() + " lacks '" + name + "'");
  auto type = torch::kFloat;
  if (view->dtype == DType::kI64) type = torch::kLong;
  if (view->dtype == DType::kU8) type = torch::kByte;
  return torch::from_blob(const_cast<std::byte*>(view->data.data()), view->shape, type).clone();
}

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return (a.to(torch::kDouble) - b.to(torch::kDouble)).abs().max().item<double>();
}

void expect_attention(const SafetensorsFile& file) {
  torch::NoGradGuard no_grad;
  const int width = std::stoi(file.metadata().at("embed_dim"));
  const int heads = std::stoi(file.metadata().at("heads"));
  GmaAttentionImpl attention({}, cross_tensors(GmaOptions(), width, heads, /*leads=*/true), width,
                             heads, 0);
  attention.eval();
  for (auto& item : attention.named_parameters()) item.value().copy_(tensor_of(file, item.key()));

  const auto x = tensor_of(file, "query").transpose(0, 1);
  const auto z = tensor_of(file, "key_value").transpose(0, 1);
  const auto lengths = tensor_of(file, "key_lengths");
  const auto index = torch::arange(x.size(1)).unsqueeze(0);
  const auto query = attention.project_query(x);
  const auto positions =
      attention.positions(attention.increments(query, index).cumsum(1), index);  // [B, T, 1]
  const auto p = positions.squeeze(-1);
  const auto policy = make_policy("gma:delta=" + file.metadata().at("delta"));
  const auto visible = visible_source(*policy, p, index, lengths);
  const auto attended =
      attention.attend({query, positions, index, visible, {}}, attention.project_key_value(z));

  const auto expected_p = tensor_of(file, "p").view({x.size(0), heads, x.size(1)});
  for (int head = 0; head < heads; ++head)
    EXPECT_LT(largest_difference(p, expected_p.select(1, head)), kTolerance);
  EXPECT_LT(largest_difference(attended.output.transpose(0, 1), tensor_of(file, "attn")),
            kTolerance);
  EXPECT_LT(largest_difference(attended.weights, tensor_of(file, "attn_weights")), 5e-6);
}

void expect_model(const SafetensorsFile& file) {
  torch::NoGradGuard no_grad;
  Transformer model(golden_config(file));
  model->eval();
  load_weights(model, file);
  const auto policy = make_policy("gma:delta=" + file.metadata().at("delta"));
  const int cases = std::stoi(file.metadata().at("cases"));
  ASSERT_GT(cases, 0);
  for (int n = 0; n < cases; ++n) {
    SCOPED_TRACE("case " + std::to_string(n));
    const auto prefix = "case" + std::to_string(n) + ".";
    const auto source = tensor_of(file, prefix + "src_tokens").unsqueeze(0);
    const auto input = tensor_of(file, prefix + "prev_output_tokens").unsqueeze(0);
    const auto encoded = model->encode(source);
    const auto length = torch::full({1}, source.size(1), torch::kLong);
    const auto decoded =
        model->decode(encoded, length, input, *policy, {.min_visible = {}, .keep_weights = true});
    EXPECT_LT(largest_difference(encoded[0], tensor_of(file, prefix + "encoder_out")), kTolerance);
    EXPECT_LT(
        largest_difference(model->logits(decoded.states)[0], tensor_of(file, prefix + "logits")),
        kTolerance);
    const auto p = torch::cat(decoded.p);
    EXPECT_LT(largest_difference(p, tensor_of(file, prefix + "p")), kTolerance);
    EXPECT_LT(largest_difference(torch::cat(decoded.weights), tensor_of(file, prefix + "attn")),
              5e-6);
    const auto reads = std::get<0>(torch::cat(decoded.visible).max(0));
    EXPECT_TRUE(torch::equal(reads, tensor_of(file, prefix + "reads")));
  }
}

TEST(golden_gma, AttentionEqualsReleasedCode) {
  for (const auto& file : golden_files("gma_attention_", ".safetensors")) {
    SCOPED_TRACE(file.string());
    expect_attention(SafetensorsFile(file));
  }
}

TEST(golden_gma, WholeModelEqualsReleasedCode) {
  for (const auto& file : golden_files("gma_model_", ".safetensors")) {
    SCOPED_TRACE(file.string());
    expect_model(SafetensorsFile(file));
  }
}

}  // namespace
}  // namespace surtitle
