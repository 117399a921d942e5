// A model and its sentences on a device, behind the module's interface.
//
// At the start, weights are uploaded and caches [layer, slot, position, 2W] allocated. Two graphs
// are captured for every size of a batch (1, 2, 4, ... rows): one encodes, one decodes. A tick
// writes rows to pinned memory, runs one graph and waits once. The graph copies the rows to the
// device, computes, and copies the outcomes back. Unused rows of a graph are inactive.
//
// A step that needs more source becomes inactive at the layer that finds this. It keeps only the
// sums of the steps before it. Resuming it repeats it from its first layer with the same values,
// and costs its row in a batch.
//
// Memory: the requested slots, or as many as fit into half of the free memory, so that another
// model can be loaded.
//
// Thread-safety: none.
#pragma once

#include <memory>
#include <span>

#include "model/cuda/module.h"

namespace surtitle::cuda {

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  virtual int slots() const = 0;
  // Returns before its work is done.
  virtual void encode(std::span<const cuda_module::EncodeRow> rows) = 0;
  virtual void decode(std::span<const cuda_module::DecodeRow> rows,
                      std::span<cuda_module::Outcome> outcomes) = 0;
  virtual void wait() = 0;
};

// Opens a session. Throws std::runtime_error with one sentence that says what is wrong.
std::unique_ptr<Session> open_session(const cuda_module::Model& model,
                                      const cuda_module::Options& options);

}  // namespace surtitle::cuda
