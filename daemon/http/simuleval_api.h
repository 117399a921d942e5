// The server of SimulEval's remote evaluation, which scores a model as the daemon serves it.
//
// POST /reset begins a sentence, PUT /input sends a segment of source words, and GET /output
// requests the words that the policy writes now. README.md has the details and the command.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <memory>

#include "daemon/access/authenticated_client.h"
#include "daemon/http/http_routes.h"
#include "daemon/streams/hub.h"

namespace surtitle {

class SimulEvalAgent {
 public:
  explicit SimulEvalAgent(Hub& hub) : hub_(hub) {}

  // Returns true if the request is one of the three.
  static bool is_asked(const HttpRequest& request);

  // REQUIRES: is_asked(request).
  asio::awaitable<Result<HttpResponse>> answer(const HttpRequest& request,
                                               const std::shared_ptr<AuthenticatedClient>& client);

 private:
  // The state from one /reset to the next.
  struct Evaluation;
  class Busy;

  Result<HttpResponse> reset(const asio::any_io_executor& executor,
                             const std::shared_ptr<AuthenticatedClient>& client);
  static asio::awaitable<Result<HttpResponse>> input(Evaluation& evaluation,
                                                     const HttpRequest& request);
  static asio::awaitable<Result<HttpResponse>> output(Evaluation& evaluation);

  Hub& hub_;
  // Shared with a request that still waits in it while /reset replaces it.
  std::shared_ptr<Evaluation> evaluation_;
};

}  // namespace surtitle
