// LibreTranslate's API, for its clients: subtitle editors, OBS' LocalVocal, chat bridges.
//
// POST /translate: the request {"q": "Guten Tag.", "source": "de", "target": "en"} has the response
// {"translatedText": "Good day."}; a list of texts has a list. Source "auto" is allowed if the
// target has only one source language. The lines of a text are translated one by one, each as whole
// sentences. Errors are {"error": "..."}, with status 400 for a wrong request and 503 without room.
//
// GET /languages: [{"code": "de", "name": "de", "targets": ["en"]}].
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

asio::awaitable<Result<HttpResponse>> answer_translate(const RoutedRequest& request);
Result<HttpResponse> answer_languages(const RoutedRequest& request);

}  // namespace surtitle
