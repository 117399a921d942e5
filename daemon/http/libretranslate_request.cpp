#include "daemon/http/libretranslate_request.h"

#include "daemon/base/json_fields.h"
#include "daemon/http/request_fields.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr std::string_view kTranslateExample =
    R"({"q": "Guten Tag.", "source": "de", "target": "en"})";
constexpr std::string_view kDetectExample = R"({"q": "Guten Tag."})";

}  // namespace

Result<TranslateRequest> parse_translate_request(const HttpRequest& request) {
  const Result<json::object> object = request_fields(request, kTranslateExample);
  if (!object) {
    return object.error();
  }
  JsonFields fields(*object, "the request");
  TranslateRequest wanted;
  wanted.source = fields.text("source");
  wanted.target = fields.text("target");
  const json::value* texts = object->if_contains("q");
  wanted.list = texts != nullptr && texts->is_array();
  if (wanted.list) {
    wanted.texts = fields.texts("q");
  } else {
    wanted.texts = {fields.text("q")};
  }
  const std::string format = fields.optional_text("format").value_or("text");
  wanted.html = format == "html";
  if (!wanted.html && format != "text" && !format.empty()) {
    fields.fail("format", "text, html");
  }
  if (fields.error()) {
    return RequestError(400, *fields.error());
  }
  return wanted;
}

Result<std::string> parse_detect_request(const HttpRequest& request) {
  const Result<json::object> object = request_fields(request, kDetectExample);
  if (!object) {
    return object.error();
  }
  JsonFields fields(*object, "the request");
  std::string text = fields.text("q");
  if (fields.error()) {
    return RequestError(400, *fields.error());
  }
  return text;
}

std::optional<std::string> api_key(const HttpRequest& request) {
  const Result<json::object> object = request_fields(request, kDetectExample);
  const json::value* key = object ? object->if_contains("api_key") : nullptr;
  const bool given = key != nullptr && key->is_string() && !key->get_string().empty();
  return given ? std::optional<std::string>(key->get_string()) : std::nullopt;
}

}  // namespace surtitle
