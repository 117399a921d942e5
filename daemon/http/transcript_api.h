// The transcripts of a channel:
//
//   /v1/channels/NAME/transcript.vtt?track=fr&bilingual=1  the last stream; ?all=1: all streams
//   /v1/channels/NAME/transcripts                          the list of its streams
//   /v1/channels/NAME/transcripts/STREAM.vtt               one of them
//
// They are in memory or in the journal. With a backplane, the handlers first wait until the channel
// is read from other replicas.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

asio::awaitable<Result<HttpResponse>> answer_transcript(const RoutedRequest& request);
asio::awaitable<Result<HttpResponse>> answer_stream_transcript(const RoutedRequest& request);
asio::awaitable<Result<HttpResponse>> answer_transcripts(const RoutedRequest& request);

}  // namespace surtitle
