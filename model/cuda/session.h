// A model on a device, and the sentences under way: what stands behind the module's Session.
//
// At the start weights go up, caches [layer, slot, position, 2A] are allocated once, and for every
// size of a batch (1, 2, 4, ... rows) a graph is captured for encoding and one for decoding. A tick
// is then: rows written to pinned memory; one graph, which copies them up, computes and copies the
// outcomes down; one wait. Rows that a batch does not fill take no part.
//
// A step that needs more source stops taking part where it finds that out. It keeps nothing but the
// sums of the steps before it, so taking it up again is doing it again from its first layer, with
// the same values: its row costs a batch nothing more than its place.
//
// Memory: as many slots as wanted or as fit into half of what is free, so that another model finds
// room.
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
  // Goes on behind the call.
  virtual void encode(std::span<const cuda_module::EncodeRow> rows) = 0;
  virtual void decode(std::span<const cuda_module::DecodeRow> rows,
                      std::span<cuda_module::Outcome> outcomes) = 0;
  virtual void wait() = 0;
};

// Throws std::runtime_error: what is wrong, in one sentence.
std::unique_ptr<Session> open_session(const cuda_module::Model& model,
                                      const cuda_module::Options& options);

}  // namespace surtitle::cuda
