#include "daemon/http/health_api.h"

#include "daemon/backplane/backplane.h"
#include "daemon/telemetry/openmetrics.h"

namespace surtitle {

Result<HttpResponse> answer_livez(const RoutedRequest& /*request*/) {
  return text_response(http::status::ok, "ok\n");
}

Result<HttpResponse> answer_readyz(const RoutedRequest& request) {
  const ServerContext& server = request.context.server;
  if (request.context.streams.draining()) {
    return RequestError(503, "draining");
  }
  if (server.journal_failing()) {
    return RequestError(503, "the journal cannot be written");
  }
  const Backplane* others = server.backplane();
  return text_response(http::status::ok,
                       others == nullptr ? "ready\n"
                       : others->available()
                           ? "ready\nthe backplane is available\n"
                           : "ready\nthe backplane is unavailable: streams and viewers "
                             "of this replica continue, those of others wait\n");
}

Result<HttpResponse> answer_metrics(const RoutedRequest& request) {
  ServerContext& server = request.context.server;
  server.metrics().journal_failing(server.journal_failing());  // a disk that hangs causes no event
  const bool open = prefers_openmetrics(request.request[http::field::accept]);
  HttpResponse response =
      make_response(http::status::ok, open ? kOpenMetricsType : kTextMetricsType,
                    server.metrics().exposition(open ? DaemonMetrics::Format::kOpenMetrics
                                                     : DaemonMetrics::Format::kText));
  response.set(http::field::vary, "Accept");
  return response;
}

}  // namespace surtitle
