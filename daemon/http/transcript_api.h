// The transcript of a channel: /v1/channels/NAME/transcript.vtt?track=fr&bilingual=1
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

// With a backplane, waits until the transcript of other replicas is read.
asio::awaitable<Result<HttpResponse>> answer_transcript(const RoutedRequest& request);

}  // namespace surtitle
