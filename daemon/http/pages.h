// The files of the web folder, the page of a channel, and the branding of an event.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

// Answers with the file of this path. A page is also found without ".html". If there is none, a
// browser receives the page missing.html with the status 404, and a program an error.
Result<HttpResponse> answer_file(const RoutedRequest& request);

// Answers with the viewer's page, if the name of the channel is valid; otherwise as answer_file().
Result<HttpResponse> answer_channel_page(const RoutedRequest& request);

// Answers with the page that lists the channels. If the query has an option besides `token` and
// `ui`, redirects to the page of its `channel` (default: main), with the same query.
Result<HttpResponse> answer_start_page(const RoutedRequest& request);

// Answer with the style sheet and the logo of the event (branding.h).
Result<HttpResponse> answer_branding(const RoutedRequest& request);
Result<HttpResponse> answer_logo(const RoutedRequest& request);

}  // namespace surtitle
