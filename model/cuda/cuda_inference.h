// Inference on a CUDA device, by the CUDA module, without LibTorch.
//
// model/cuda/README.md describes the module.
//
// Weights, caches and alignments are in the device's memory, in half precision or float32. A tick
// is one graph for new source tokens and one for decoder steps, and waits once. The host evaluates
// the policies that ignore alignment; the device evaluates GMA's count, because it has the
// position.
//
// Memory of a slot is allocated at the start. A position of a layer has a key and a value of 2 W
// bytes each, or 4 W in float32. There are source positions for each layer of both stacks, and
// target positions for each decoder layer. W is heads times the channels of a head, rounded up to
// 8, 16, 32, 64 or 128 (model/cuda/cuda_weights.h).
//
// Every call may throw std::runtime_error with the device's failure; afterwards the object is
// unusable.
//
// Thread-safety: see Inference.
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
    int slots = 0;  // the number requested
    int source_positions = 0;
    int target_positions = 0;
  };
  // Makes as many slots as fit into the device's memory. Throws std::runtime_error if none fits.
  CudaInference(const Package& package, const Options& options,
                const cuda_module::Functions& functions);

  int slots() const override { return functions_.slots(session_.get()); }
  void open(int slot) override;
  void close(int, int, int) override {}
  void encode(std::span<const SourceToken> tokens) override;
  void decode(std::span<const DecoderStep> steps, std::span<StepOutcome> outcomes) override;

  // Waits until the work of encode() is done.
  void wait();

 private:
  struct Close {
    const cuda_module::Functions* functions;
    void operator()(cuda_module::Session* session) const { functions->close(session); }
  };

  const cuda_module::Functions& functions_;
  std::unique_ptr<cuda_module::Session, Close> session_;
  std::vector<int> target_index_;  // by slot: index of its last step

  // Of one call; members, so that their memory is reused.
  std::vector<cuda_module::EncodeRow> encode_;
  std::vector<cuda_module::DecodeRow> decode_;
  std::vector<cuda_module::Outcome> outcomes_;
};

}  // namespace surtitle
