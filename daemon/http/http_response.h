// The responses over HTTP, with the headers that all of them have.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string>
#include <string_view>

#include "daemon/access/request_error.h"
#include "daemon/net/beast.h"

namespace surtitle {

using HttpRequest = http::request<http::string_body>;
using HttpResponse = http::response<http::string_body>;

// `type`: of the content, such as "text/plain; charset=utf-8".
HttpResponse make_response(http::status status, std::string_view type, std::string content);
HttpResponse text_response(http::status status, std::string_view text);
HttpResponse json_response(http::status status, std::string_view json);

enum class ErrorFormat { kText, kJson };
// Returns the message as a line of text, or as {"error": "..."}, with the fields of its status.
HttpResponse error_response(const RequestError& error, ErrorFormat format);

}  // namespace surtitle
