// POST /translate as LibreTranslate has it, so that what knows LibreTranslate (subtitle editors,
// OBS' LocalVocal, chat bridges) can ask Surtitle.
//
// {"q": "Guten Tag.", "source": "de", "target": "en"} is answered {"translatedText": "Good day."};
// a list of texts by a list. Source "auto" is taken where only one language leads to the target. A
// text's lines are translated one by one, each as whole sentences. Wrong requests are answered
// {"error": "..."} with status 400, those that there is no room for with 503.
//
// GET /languages: [{"code": "de", "name": "de", "targets": ["en"]}].
#pragma once

#include <memory>

#include "daemon/access/authenticated_client.h"
#include "daemon/http/http_routes.h"

namespace surtitle {

asio::awaitable<HttpResponse> answer_translate(const HttpRequest& request,
                                               const HttpContext& context,
                                               const std::shared_ptr<AuthenticatedClient>& client);

HttpResponse answer_languages(const Hub& hub);

}  // namespace surtitle
