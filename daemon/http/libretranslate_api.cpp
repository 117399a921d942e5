#include "daemon/http/libretranslate_api.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/base/json_writer.h"
#include "daemon/base/terminal_text.h"
#include "daemon/base/text.h"
#include "daemon/http/html_text.h"
#include "daemon/http/language_detector.h"
#include "daemon/http/libretranslate_request.h"
#include "daemon/streams/in_process_stream.h"
#include "daemon/translation/model_word.h"
#include "model/text/language_tag.h"
#include "model/text/mark_names.h"
#include "model/text/unspaced.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

// The longest text that fits into a request in any encoding: a character of a form is up to 12
// bytes.
constexpr int kMaxCharacters = 5000;
constexpr std::string_view kBlanks = " \t\r\f\v";
constexpr int kTimeout = 500;  // ms between a key and the request of LibreTranslate's own page

// A text of the request, in pieces. The text of HTML stays between its tags.
using Pieces = std::vector<HtmlPiece>;

Pieces pieces_of(std::string_view text, bool html) {
  return html ? split_html(text) : Pieces{{text, std::string(text)}};
}

std::string text_of(const std::vector<Pieces>& texts) {
  std::string all;
  for (const Pieces& pieces : texts) {
    for (const HtmlPiece& piece : pieces) {
      all += piece.text.value_or("") + "\n";
    }
  }
  return all;
}

// Returns the languages that are translated into `target`, or all source languages if it is empty.
std::set<std::string> source_languages(const ModelPool& models, const std::string& target = {}) {
  std::set<std::string> sources;
  for (const ModelInfo& model : models.infos()) {
    if (target.empty() || model.translates_into(target)) {
      sources.insert(model.source_language);
    }
  }
  return sources;
}

// Returns whether a request asks for no translation, in a language that the models know.
bool is_same_language(const ModelPool& models, const TranslateRequest& wanted) {
  const auto language = canonical_language(wanted.source);
  return language && language == canonical_language(wanted.target) &&
         (source_languages(models).contains(*language) ||
          !source_languages(models, *language).empty());
}

std::string detected_json(const DetectedLanguage& detected) {
  return JsonWriter()
      .field("confidence", std::round(detected.confidence))
      .field("language", detected.language)
      .finish();
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

struct Languages {
  std::string source;
  std::string target;
};

// Translates words, and joins their sentences. Returns an error if the stream has ended.
asio::awaitable<Result<std::string>> translate_words(InProcessStream& stream,
                                                     std::string_view source) {
  const std::string words = without_controls(source);
  std::size_t left = bytes_of_words(words);
  co_await stream.send_source(words);
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
      text.append(space_between(text, sentence->target)).append(sentence->target);
    }
  }
  co_return text;
}

// Translates one line. White space around its text, emoji and marks stay where they are.
asio::awaitable<Result<std::string>> translate_line(InProcessStream& stream, std::string_view line,
                                                    const Languages& languages) {
  std::string translation;
  while (!line.empty()) {
    const std::string_view unread = first_unread(line, languages.source);
    const std::string_view text =
        line.substr(0, static_cast<std::size_t>(unread.data() - line.data()));
    const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
    const std::size_t end = std::max(text.find_last_not_of(kBlanks) + 1, begin);
    const Result<std::string> translated =
        co_await translate_words(stream, text.substr(begin, end - begin));
    if (!translated) {
      co_return translated;
    }
    translation.append(text.substr(0, begin)).append(*translated);
    translation.append(text.substr(end)).append(translate_marks(unread, languages.target));
    line.remove_prefix(text.size() + unread.size());
  }
  co_return translation;
}

asio::awaitable<Result<std::string>> translate_lines(InProcessStream& stream,
                                                     const std::string& text,
                                                     const Languages& languages) {
  std::string translation;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = rest.find('\n');
    const Result<std::string> translated =
        co_await translate_line(stream, rest.substr(0, end), languages);
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

asio::awaitable<Result<std::string>> translate_pieces(InProcessStream& stream, const Pieces& pieces,
                                                      const Languages& languages, bool html) {
  std::string translation;
  for (const HtmlPiece& piece : pieces) {
    if (!piece.text) {
      translation += piece.source;
      continue;
    }
    const Result<std::string> translated = co_await translate_lines(stream, *piece.text, languages);
    if (!translated) {
      co_return translated;
    }
    translation += html ? escape_html(*translated) : *translated;
  }
  co_return translation;
}

// Returns the response. `detected`: the language, if the request left it open.
HttpResponse translate_response(const std::vector<std::string>& translations, bool list,
                                const std::optional<DetectedLanguage>& detected) {
  JsonWriter answer;
  if (detected) {
    const std::string language = detected_json(*detected);
    answer.raw_field(
        "detectedLanguage",
        list ? json_array(translations, [&](const auto&) { return language; }) : language);
  }
  answer.raw_field("translatedText", list ? json_array(translations, json_string)
                                          : json_string(translations.front()));
  return json_response(http::status::ok, answer.finish());
}

std::string language_json(std::string_view code, std::string_view name) {
  return JsonWriter().field("code", code).field("name", name).finish();
}

}  // namespace

asio::awaitable<Result<HttpResponse>> answer_translate(const RoutedRequest& request) {
  const Result<TranslateRequest> wanted = parse_translate_request(request.request);
  if (!wanted) {
    co_return wanted.error();
  }
  if (is_same_language(request.context.server.models(), *wanted)) {
    co_return translate_response(wanted->texts, wanted->list, {});
  }
  std::vector<Pieces> texts;
  for (const std::string& text : wanted->texts) {
    texts.push_back(pieces_of(text, wanted->html));
  }
  protocol::Start start;
  start.source = wanted->source;
  start.target = wanted->target;
  start.policy = "full-sentence";
  std::optional<DetectedLanguage> detected;
  if (wanted->source == "auto") {
    std::set<std::string> languages =
        source_languages(request.context.server.models(), wanted->target);
    if (languages.empty()) {
      co_return RequestError(400, "no model translates to " + in_quotes(wanted->target));
    }
    languages.insert(wanted->target);
    detected = detect_language(text_of(texts), languages).front();
    if (detected->language == wanted->target) {
      co_return translate_response(wanted->texts, wanted->list, detected);
    }
    start.source = detected->language;
  }
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  InProcessStream stream(request.context.streams, start, executor, request.client);
  const Languages languages{start.source, start.target};
  std::vector<std::string> translations;
  for (const Pieces& pieces : texts) {
    Result<std::string> translation =
        co_await translate_pieces(stream, pieces, languages, wanted->html);
    if (!translation) {
      co_return translation.error();
    }
    translations.push_back(std::move(*translation));
  }
  co_return translate_response(translations, wanted->list, detected);
}

Result<HttpResponse> answer_detect(const RoutedRequest& request) {
  const Result<std::string> text = parse_detect_request(request.request);
  if (!text) {
    return text.error();
  }
  const auto languages = detect_language(*text, source_languages(request.context.server.models()));
  return json_response(http::status::ok, json_array(languages, detected_json));
}

Result<HttpResponse> answer_languages(const RoutedRequest& request) {
  std::map<std::string, std::set<std::string>> targets;
  for (const ModelInfo& model : request.context.server.models().infos()) {
    const std::vector<std::string> languages = model.target_languages();
    targets[model.source_language].insert(languages.begin(), languages.end());
  }
  return json_response(http::status::ok, json_array(targets, [](const auto& source) {
                         return JsonWriter()
                             .field("code", source.first)
                             .field("name", language_name(source.first))
                             .raw_field("targets", json_array(source.second, json_string))
                             .finish();
                       }));
}

Result<HttpResponse> answer_health(const RoutedRequest& /*request*/) {
  return json_response(http::status::ok, JsonWriter().field("status", "ok").finish());
}

Result<HttpResponse> refuse_suggestion(const RoutedRequest& /*request*/) {
  return RequestError(403, "This daemon accepts no suggestions.");
}

Result<HttpResponse> refuse_file(const RoutedRequest& /*request*/) {
  return RequestError(403, "This daemon translates no files; allowed: POST /translate.");
}

Result<HttpResponse> answer_frontend_settings(const RoutedRequest& request) {
  const auto& models = request.context.server.models().infos();
  const std::string target = models.empty() ? "en" : models.front().target_language;
  const bool needs_key = request.context.access.auth_enabled();
  const std::string language =
      JsonWriter()
          .raw_field("source", language_json("auto", "Auto Detect"))
          .raw_field("target", language_json(target, language_name(target)))
          .finish();
  return json_response(http::status::ok, JsonWriter()
                                             .field("apiKeys", needs_key)
                                             .field("charLimit", kMaxCharacters)
                                             .field("filesTranslation", false)
                                             .field("frontendTimeout", kTimeout)
                                             .field("keyRequired", needs_key)
                                             .raw_field("language", language)
                                             .field("suggestions", false)
                                             .raw_field("supportedFilesFormat", "[]")
                                             .finish());
}

}  // namespace surtitle
