// Inference on a CUDA device, by the CUDA module (model/cuda/README.md), without LibTorch.
//
// Weights, caches and alignments live on the device, in half precision or float32. A tick takes one
// graph for new source tokens and one for decoder steps, and waits once. Policies are asked on the
// host for what does not depend on alignment; GMA's count is taken where its position is.
//
// Memory of a slot, all of it taken at the start: 2 A bytes, or 4 A in float32, for the key and as
// much for the value of each source position and layer of both stacks and of each target position
// and decoder layer; A is C where heads have 8, 16, 32, 64 or 128 channels.
//
// Every call may throw std::runtime_error with the device's failure; the object is of no use then.
#pragma once

#include <memory>
#include <vector>

#include "model/cuda/module.h"
#include "model/engine/inference.h"
#include "model/package/package.h"

namespace surtitle {

class CudaInference final : public Inference {
 public:
  struct Options {
    bool half = true;
    int slots = 0;  // wanted
    int source_positions = 0;
    int target_positions = 0;
  };
  // Makes as many slots as fit into the device's memory. Throws std::runtime_error where not one
  // does.
  CudaInference(const Package& package, const Options& options,
                const cuda_module::Functions& functions);

  int slots() const override { return functions_.slots(session_.get()); }
  void open(int slot) override;
  void close(int, int, int) override {}
  void encode(std::span<const SourceToken> tokens) override;
  void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) override;

  // Until what encode() began is done.
  void wait();

 private:
  struct Close {
    const cuda_module::Functions* functions;
    void operator()(cuda_module::Session* session) const { functions->close(session); }
  };

  const cuda_module::Functions& functions_;
  std::unique_ptr<cuda_module::Session, Close> session_;
  std::vector<int> target_index_;  // by slot: of its last step

  // Of a call; kept for their memory.
  std::vector<cuda_module::EncodeRow> encode_;
  std::vector<cuda_module::DecodeRow> decode_;
  std::vector<cuda_module::Outcome> outcomes_;
};

}  // namespace surtitle
