#include "daemon/http/libretranslate_api.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/text.h"
#include "daemon/streams/in_process_stream.h"
#include "model/text/language_tag.h"
#include "model/text/tokenizer.h"
#include "model/util/utf8.h"

namespace surtitle {
namespace {

namespace json = boost::json;

struct TranslateRequest {
  std::vector<std::string> texts;
  bool list = false;
  std::string source;
  std::string target;
};

Result<TranslateRequest> parse(const std::string& body) {
  boost::system::error_code failure;
  const json::value document = json::parse(body, failure);
  if (failure || !document.is_object()) {
    return RequestError(
        400,
        R"(the body must be a JSON object such as {"q": "Guten Tag.", "source": "de", "target": "en"})");
  }
  JsonFields fields(document.get_object(), "the request");
  TranslateRequest request;
  request.source = fields.text("source");
  request.target = fields.text("target");
  const json::value* texts = document.get_object().if_contains("q");
  request.list = texts != nullptr && texts->is_array();
  if (request.list) {
    request.texts = fields.texts("q");
  } else {
    request.texts = {fields.text("q")};
  }
  if (const auto format = fields.optional_text("format"); format && format != "text") {
    fields.fail("format", "text; HTML is not translated");
  }
  if (fields.error()) {
    return RequestError(400, *fields.error());
  }
  return request;
}

// Returns the only source language of a target, for source "auto".
Result<std::string> only_source(const std::string& target, const ModelPool& models) {
  std::set<std::string> sources;
  for (const ModelInfo& model : models.infos()) {
    if (match_languages(model.target_language, target) != LanguageMatch::kNone) {
      sources.insert(model.source_language);
    }
  }
  if (sources.size() == 1) {
    return *sources.begin();
  }
  return RequestError(400,
                      "source 'auto' requires a target with one source language; name the source");
}

// Returns the number of bytes without spaces. It is the same for a text and for its sentences, in
// which a long word may be split.
std::size_t bytes_of_words(std::string_view text) {
  std::size_t bytes = 0;
  for (const std::string_view word : split_words(text)) {
    bytes += word.size();
  }
  return bytes;
}

// Translates one line, and joins its sentences with a space. Returns an error if the stream has
// ended.
asio::awaitable<Result<std::string>> translate_line(InProcessStream& stream,
                                                    const std::string& line) {
  std::size_t left = bytes_of_words(line);
  co_await stream.source(line);
  stream.end_sentence();
  std::string text;
  while (left > 0) {
    const std::optional<protocol::ServerMessage> message = co_await stream.next();
    if (!message) {
      co_return RequestError(stream.error().value_or(
          protocol::Error{protocol::ErrorCode::kDraining, "the daemon is shutting down"}));
    }
    if (const auto* sentence = std::get_if<protocol::Sentence>(&*message)) {
      left -= std::min(left, bytes_of_words(sentence->source));
      text += (text.empty() || sentence->target.empty() ? "" : " ") + sentence->target;
    }
  }
  co_return text;
}

asio::awaitable<Result<std::string>> translate_text(InProcessStream& stream,
                                                    const std::string& text) {
  std::string translation;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = rest.find('\n');
    const std::string line(rest.substr(0, end));
    const Result<std::string> translated = co_await translate_line(stream, line);
    if (!translated) {
      co_return translated;
    }
    translation += *translated;
    if (end == std::string_view::npos) {
      co_return translation;
    }
    translation += '\n';
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

asio::awaitable<Result<HttpResponse>> answer_translate(const RoutedRequest& request) {
  Result<TranslateRequest> wanted = parse(request.request.body());
  if (!wanted) {
    co_return wanted.error();
  }
  if (wanted->source == "auto") {
    const Result<std::string> source = only_source(wanted->target, request.context.server.models());
    if (!source) {
      co_return source.error();
    }
    wanted->source = *source;
  }
  protocol::Start start;
  start.source = wanted->source;
  start.target = wanted->target;
  start.policy = "full-sentence";
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  InProcessStream stream(request.context.streams, start, executor, request.client);
  std::vector<std::string> translations;
  for (const std::string& text : wanted->texts) {
    Result<std::string> translation = co_await translate_text(stream, text);
    if (!translation) {
      co_return translation.error();
    }
    translations.push_back(std::move(*translation));
  }
  co_return json_response(
      http::status::ok,
      JsonWriter()
          .raw_field("translatedText", wanted->list ? json_array(translations, json_string)
                                                    : json_string(translations.front()))
          .finish());
}

Result<HttpResponse> answer_languages(const RoutedRequest& request) {
  std::map<std::string, std::set<std::string>> targets;
  for (const ModelInfo& model : request.context.server.models().infos()) {
    targets[model.source_language].insert(model.target_language);
  }
  return json_response(http::status::ok, json_array(targets, [](const auto& source) {
                         return JsonWriter()
                             .field("code", source.first)
                             .field("name", source.first)
                             .raw_field("targets", json_array(source.second, json_string))
                             .finish();
                       }));
}

}  // namespace surtitle
