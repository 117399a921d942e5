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

#include <memory>

#include "daemon/access/authenticated_client.h"
#include "daemon/http/http_routes.h"

namespace surtitle {

asio::awaitable<Result<HttpResponse>> answer_translate(
    const HttpRequest& request, const HttpContext& context,
    const std::shared_ptr<AuthenticatedClient>& client);

HttpResponse answer_languages(const Hub& hub);

}  // namespace surtitle
