// SimulEval's remote evaluation, answered by the daemon: `simuleval --remote-eval --remote-port
// PORT
// --source-type text --target-type text` scores a model as it is served.
//
// POST /reset begins a sentence, PUT /input gives a segment of source words, GET /output asks for
// what the policy writes now; segments are SimulEval's own JSON (simuleval/data/segments.py). They
// name neither session nor languages, so there is one evaluation at a time, in the languages, the
// model and the policy of the daemon's defaults. SimulEval counts words, and a word is known to be
// complete when the next one begins: delays are those of the daemon or, by that, longer.
//
// Thread-safety: none; the network thread's own.
#pragma once

#include <memory>
#include <string>

#include "daemon/http_answers.h"
#include "daemon/inner_stream.h"

namespace surtitle {

class SimulEvalAgent {
 public:
  explicit SimulEvalAgent(Hub& hub) : hub_(hub) {}

  // Whether the request is one of the three.
  static bool is_asked(const HttpRequest& request);

  // REQUIRES: is_asked(request).
  asio::awaitable<HttpResponse> answer(const HttpRequest& request);

 private:
  HttpResponse reset(const asio::any_io_executor& executor);
  asio::awaitable<HttpResponse> input(const HttpRequest& request);
  asio::awaitable<HttpResponse> output();

  Hub& hub_;
  // Shared with a request that waits for it while another one begins anew.
  std::shared_ptr<InnerStream> stream_;
  std::string held_;  // of the translation: a word that may grow
  bool finished_ = false;
};

}  // namespace surtitle
