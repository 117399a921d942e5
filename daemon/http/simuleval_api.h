// SimulEval's remote evaluation, answered by the daemon; to score a model as it is served:
// `simuleval --remote-eval --remote-port PORT --source FILE --target FILE
// --dataloader text-to-text`.
//
// POST /reset begins a sentence, PUT /input gives a segment of source words, GET /output asks for
// what the policy writes now; segments are SimulEval's own JSON (simuleval/data/segments.py). They
// name neither session nor languages, so there is one evaluation at a time, in the languages, the
// model and the policy of the daemon's defaults. SimulEval counts words, and a word is known to be
// complete when the next one begins: delays are those of the daemon or, by that, longer.
// The evaluator looks at no status. So where a segment was refused, or none was taken since the
// last /output, /output is refused with 409 until /reset: an evaluation ends rather than score what
// was never translated. The log says why. A request that comes while another one is still being
// answered is refused with 409; only /reset may come at any time.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <memory>

#include "daemon/access/authenticated_client.h"
#include "daemon/http/http_routes.h"
#include "daemon/streams/hub.h"

namespace surtitle {

class SimulEvalAgent {
 public:
  explicit SimulEvalAgent(Hub& hub) : hub_(hub) {}

  // Whether the request is one of the three.
  static bool is_asked(const HttpRequest& request);

  // REQUIRES: is_asked(request).
  asio::awaitable<HttpResponse> answer(const HttpRequest& request,
                                       const std::shared_ptr<AuthenticatedClient>& client);

 private:
  // From one /reset to the next.
  struct Evaluation;
  class Busy;

  HttpResponse reset(const asio::any_io_executor& executor,
                     const std::shared_ptr<AuthenticatedClient>& client);
  static asio::awaitable<HttpResponse> input(Evaluation& evaluation, const HttpRequest& request);
  static asio::awaitable<HttpResponse> output(Evaluation& evaluation);

  Hub& hub_;
  // Shared with the request that waits in it while another one begins anew.
  std::shared_ptr<Evaluation> evaluation_;
};

}  // namespace surtitle
