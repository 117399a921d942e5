#include "model/cuda/cuda_inference.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/cuda/cuda_weights.h"

namespace surtitle {
namespace {

cuda_module::Session* open_session(const Package& package, const CudaInference::Options& options,
                                   const cuda_module::Functions& functions) {
  const CudaWeights weights(package, std::max(options.source_positions, options.target_positions));
  const cuda_module::Options wanted{.slots = options.slots,
                                    .source_positions = options.source_positions,
                                    .target_positions = options.target_positions,
                                    .half = options.half};
  cuda_module::Error error{};
  auto* session = functions.open(&weights.model(), &wanted, &error);
  if (session == nullptr) throw std::runtime_error(error.text.data());
  return session;
}

static_assert(cuda_module::kMaxBanned == BannedTokens::kCapacity);

// Returns a step in the device's form.
cuda_module::DecodeRow to_row(const DecoderStep& step, int last_index) {
  cuda_module::DecodeRow row{.slot = step.slot,
                             .target_index = step.target_index,
                             .previous = step.previous,
                             .encoded = step.encoded,
                             .min_visible = step.min_visible,
                             .max_visible = step.max_visible,
                             .alignment_offset = -std::numeric_limits<float>::infinity(),
                             .advance = step.target_index > last_index ? 1 : 0,
                             .banned = step.banned.tokens()};
  if (const auto alignment_offset = step.policy->alignment_offset()) {
    row.alignment_offset = *alignment_offset;
  } else {
    row.min_visible = std::max(row.min_visible,
                               step.policy->visible_source(step.target_index, step.target_index));
  }
  return row;
}

}  // namespace

CudaInference::CudaInference(const Package& package, const Options& options,
                             const cuda_module::Functions& functions)
    : functions_(functions),
      session_(open_session(package, options, functions), Close{&functions}),
      target_index_(static_cast<std::size_t>(slots()), -1) {}

void CudaInference::open(int slot) { target_index_[static_cast<std::size_t>(slot)] = -1; }

void CudaInference::encode(std::span<const SourceToken> tokens) {
  encode_.clear();
  for (const auto& token : tokens)
    encode_.push_back({.slot = token.slot, .position = token.position, .token = token.token});
  cuda_module::Error error{};
  if (!functions_.encode(session_.get(), encode_.data(), encode_.size(), &error))
    throw std::runtime_error(error.text.data());
}

void CudaInference::decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) {
  decode_.clear();
  for (const auto& step : steps) {
    int& last_index = target_index_[static_cast<std::size_t>(step.slot)];
    decode_.push_back(to_row(step, last_index));
    last_index = step.target_index;
  }
  outcomes_.resize(steps.size());
  cuda_module::Error error{};
  if (!functions_.decode(session_.get(), decode_.data(), outcomes_.data(), decode_.size(), &error))
    throw std::runtime_error(error.text.data());
  for (std::size_t i = 0; i < steps.size(); ++i)
    outcomes[i] = {.token = outcomes_[i].token,
                   .visible = outcomes_[i].visible,
                   .required_source = outcomes_[i].required_source};
}

void CudaInference::wait() {
  cuda_module::Error error{};
  if (!functions_.wait(session_.get(), &error)) throw std::runtime_error(error.text.data());
}

}  // namespace surtitle
