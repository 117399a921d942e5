// The server of SimulEval's remote evaluation, which scores a model as the daemon serves it.
//
// POST /reset begins a sentence, PUT /input sends a segment of source words, and GET /output
// requests the words that the policy writes now. README.md has the details and the command.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <memory>

#include "daemon/http/route.h"
#include "daemon/streams/stream_registry.h"

namespace surtitle {

class SimulEvalAgent {
 public:
  explicit SimulEvalAgent(StreamRegistry& streams) : streams_(streams) {}

  asio::awaitable<Result<HttpResponse>> reset(const RoutedRequest& request);
  asio::awaitable<Result<HttpResponse>> input(const RoutedRequest& request);
  asio::awaitable<Result<HttpResponse>> output(const RoutedRequest& request);

 private:
  // The state from one /reset to the next.
  struct Evaluation;
  class Busy;

  // Returns the evaluation, or an error if there is none or if it answers another request.
  Result<std::shared_ptr<Evaluation>> idle_evaluation() const;
  static asio::awaitable<Result<HttpResponse>> read_output(Evaluation& evaluation);

  StreamRegistry& streams_;
  // Shared with a request that still waits in it while /reset replaces it.
  std::shared_ptr<Evaluation> evaluation_;
};

}  // namespace surtitle
