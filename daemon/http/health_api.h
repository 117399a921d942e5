// The probes /livez, /healthz and /readyz, and /metrics.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

Result<HttpResponse> answer_livez(const RoutedRequest& request);
// Status 503 if the daemon drains or cannot write its journal.
Result<HttpResponse> answer_readyz(const RoutedRequest& request);
Result<HttpResponse> answer_metrics(const RoutedRequest& request);

}  // namespace surtitle
