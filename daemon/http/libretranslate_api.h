// LibreTranslate's API, for its clients: subtitle editors, OBS' LocalVocal, chat bridges.
//
// POST /translate: the request {"q": "Guten Tag.", "source": "de", "target": "en"}, or the same
// fields as a form, has the response {"translatedText": "Good day."}; a list of texts has a list.
// Source "auto" is the most likely of the languages that are translated into the target, and the
// response names it. The lines of a text are translated one by one, each as whole sentences; with
// "format": "html", each text between two tags. Errors are {"error": "..."}, with status 400 for a
// wrong request and 503 without room.
//
// POST /detect: [{"confidence": 90, "language": "de"}], of the languages that are translated.
// GET /languages: [{"code": "de", "name": "German", "targets": ["en"]}].
// GET /frontend/settings: what LibreTranslate's own page asks for first.
// GET /health: {"status": "ok"}. POST /suggest and /translate_file: refused with 403, as by a
// LibreTranslate that does not offer them.
//
// The field api_key of a request may have its token.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include "daemon/http/route.h"

namespace surtitle {

asio::awaitable<Result<HttpResponse>> answer_translate(const RoutedRequest& request);
Result<HttpResponse> answer_detect(const RoutedRequest& request);
Result<HttpResponse> answer_languages(const RoutedRequest& request);
Result<HttpResponse> answer_frontend_settings(const RoutedRequest& request);
Result<HttpResponse> answer_health(const RoutedRequest& request);
Result<HttpResponse> refuse_suggestion(const RoutedRequest& request);
Result<HttpResponse> refuse_file(const RoutedRequest& request);

}  // namespace surtitle
