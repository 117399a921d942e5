// The channels that a client may view: /v1/channels
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

Result<HttpResponse> answer_channels(const RoutedRequest& request);

}  // namespace surtitle
