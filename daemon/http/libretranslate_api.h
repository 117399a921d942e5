// LibreTranslate's API, for its clients: subtitle editors, OBS' LocalVocal, chat bridges.
//
// POST /translate: {"q": "Guten Tag.", "source": "de", "target": "en"}, or these fields as a form,
// returns {"translatedText": "Good day."}. A list of texts returns a list. Source "auto" detects
// the language, and the response names it. Lines are translated one by one. With "format": "html",
// each text between two tags is. The field api_key may contain the access token.
//
// docs/integrations.md has the other paths. Errors are {"error": "..."}, with status 400 for a
// wrong request, 403 for one that is not offered, and 503 without room.
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
