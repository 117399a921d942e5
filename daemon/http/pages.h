// The files of the web folder, and the page of a channel.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

// Answers with the file of this path. A page is also found without ".html".
Result<HttpResponse> answer_file(const RoutedRequest& request);

// Answers with the viewer's page, if the name of the channel is valid.
Result<HttpResponse> answer_channel_page(const RoutedRequest& request);

// Answers with the page that lists the channels. A query with more than a token redirects to the
// page of the channel that it names, else of main, and is kept.
Result<HttpResponse> answer_start_page(const RoutedRequest& request);

}  // namespace surtitle
