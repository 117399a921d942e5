#include "daemon/http/http_response.h"

#include <utility>

#include "daemon/base/json_writer.h"

namespace surtitle {

HttpResponse make_response(http::status status, std::string_view type, std::string content) {
  HttpResponse response(status, 11);
  response.set(http::field::content_type, type);
  response.set(http::field::cache_control, "no-cache");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");  // URLs contain tokens
  response.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  response.body() = std::move(content);
  return response;
}

HttpResponse text_response(http::status status, std::string_view text) {
  return make_response(status, "text/plain; charset=utf-8", std::string(text));
}

HttpResponse json_response(http::status status, std::string_view json) {
  return make_response(status, "application/json", std::string(json).append("\n"));
}

HttpResponse error_response(const RequestError& error, ErrorFormat format) {
  const auto status = static_cast<http::status>(error.status);
  HttpResponse response =
      format == ErrorFormat::kJson
          ? json_response(status, JsonWriter().field("error", error.message).finish())
          : text_response(status, error.message + "\n");
  if (status == http::status::unauthorized) {
    response.set(http::field::www_authenticate, "Bearer");
  }
  if (status == http::status::upgrade_required) {
    response.set(http::field::upgrade, "websocket");
  }
  if (error.retry_after > 0) {
    response.set(http::field::retry_after, std::to_string(error.retry_after));
  }
  return response;
}

}  // namespace surtitle
