// The API for sharing a channel: the daemon's URLs, signed links, and QR codes.
//
// GET /v1/admin/addresses returns {"addresses": [...]}, the URLs that other machines can reach.
//
// POST /v1/channels/NAME/links: {"role": "view", "seconds": 43200} returns
// {"token", "expires", ...}.
//
// GET /v1/qr.svg?link=URL returns the QR code of a channel's page of this daemon.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

Result<HttpResponse> answer_addresses(const RoutedRequest& request);

// Signs a link to the channel with the first key of access.key. The role view requires the role
// send on the channel, and the role send requires admin. A link does not outlive the grant of the
// client that makes it.
Result<HttpResponse> make_channel_link(const RoutedRequest& request);

// Encodes only pages of channels on this host, with plain options: a code of this daemon leads to
// this daemon.
Result<HttpResponse> answer_qr_code(const RoutedRequest& request);

}  // namespace surtitle
