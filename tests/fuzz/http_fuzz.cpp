// Fuzz target of HTTP requests. The input is a request, and the answer must be valid HTTP.
//
// It covers addresses, queries, static files, transcripts, translations and SimulEval's requests.
#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <stdexcept>

#include "daemon/base/url_parts.h"
#include "daemon/base/websocket_url.h"
#include "daemon/http/authorize.h"
#include "daemon/http/html_text.h"
#include "daemon/http/route_table.h"
#include "daemon/http/simuleval_api.h"
#include "daemon/net/beast.h"
#include "daemon/streams/viewer.h"
#include "tests/daemon/support/scripted_translator.h"
#include "tests/daemon/support/test_server_options.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

ModelSource scripted() {
  const auto tokenizer = std::make_shared<ScriptedTokenizer>();
  return {Tokenizers(tokenizer), [tokenizer] {
            return std::make_unique<ScriptedTranslator>(tokenizer,
                                                        ScriptedOptions{.obeys_words = false});
          }};
}

// Everything that an answer needs. It is made once.
struct Daemon {
  asio::io_context io{1};
  DaemonMetrics metrics{"fuzz"};
  ServerContext server{test_server_options(), metrics,
                       [this](std::function<void()> work) { asio::post(io, work); }};
  StreamRegistry streams{server};
  StaticFiles files{SURTITLE_SOURCE_DIR "/tests/daemon/support/web"};
  Branding branding{"", ""};
  SimulEvalAgent simuleval{streams};
  ServerTls tls{{}};
  AccessControl access{{}};
  ClientLimits limits{{{}, {}, {}, parse_networks({"10.0.0.0/8"})}};
  HttpContext context{server,
                      streams,
                      files,
                      branding,
                      simuleval,
                      tls,
                      access,
                      limits,
                      false,
                      HostAllowlist({"x", "subtitles.example.org"}),
                      {"https://stage.example"}};
  Peer peer{*parse_address("10.0.0.1"), /*proxy=*/true};

  Daemon() { server.add_model(scripted()); }
};

HttpResponse run(Daemon& daemon, asio::awaitable<HttpResponse> answer) {
  std::optional<HttpResponse> response;
  asio::co_spawn(daemon.io, std::move(answer),
                 [&](const std::exception_ptr& failure, HttpResponse made) {
                   fuzz::require(!failure, "an answer throws");
                   response = std::move(made);
                 });
  daemon.io.restart();
  while (!response) {
    const auto work = asio::make_work_guard(daemon.io);
    daemon.io.run_one();
  }
  return *std::move(response);
}

HttpResponse answered(Daemon& daemon, const HttpRequest& request) {
  const auto [path, query] = split_target(request.target());
  const RouteMatch match = find_route(path, request.method(), websocket::is_upgrade(request));
  const auto client = authorize_request(request, daemon.context, daemon.peer, match);
  if (!client) {
    return error_response(client.error(), match.path_route->errors);
  }
  const RoutedRequest routed{request, daemon.context, *client, match.parameters, path, query};
  if (const Result<void> admitted = admit(routed, match); !admitted) {
    return error_response(admitted.error(), match.path_route->errors);
  }
  return run(daemon, answer(match, routed));
}

// Requires that no text of the request becomes a header field of the answer.
void require_one_answer(HttpResponse response) {
  response.prepare_payload();
  std::ostringstream text;
  text << response.base();
  http::response_parser<http::empty_body> parser;
  parser.skip(true);
  error_code error;
  parser.put(asio::buffer(text.str()), error);
  fuzz::require(!error && parser.is_header_done(), "the answer is not HTTP", text.str());
  const auto fields = [](const auto& message) {
    return std::distance(message.begin(), message.end());
  };
  fuzz::require(fields(parser.get()) == fields(response),
                "the answer has an additional header field", text.str());
}

// Runs the parsers of parts directly, because the syntax of a request excludes some bytes.
void try_parts(std::string_view text) {
  percent_decode(text);
  parse_query(text);
  std::string document;
  for (const HtmlPiece& piece : split_html(text)) {
    document += piece.source;
  }
  fuzz::require(document == text, "the pieces of a document are not the document");
  if (const auto request = parse_subscribe_request(text); !request) {
    fuzz::require_one_line(request.error().message);
  }
  try {
    parse_websocket_url(text);
  } catch (const std::invalid_argument& error) {
    fuzz::require_one_line(error.what());
  }
}

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerInitialize(int* /*unused*/, char*** /*unused*/) {
  spdlog::set_level(spdlog::level::off);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  static Daemon daemon;
  const std::string_view input = fuzz::text_of(data, size);
  try_parts(input);
  http::request_parser<http::string_body> parser;
  parser.eager(true);
  error_code error;
  parser.put(asio::buffer(input.data(), input.size()), error);
  if (!error) {
    parser.put_eof(error);
  }
  if (!error && parser.is_done()) {
    require_one_answer(answered(daemon, parser.release()));
  }
  return 0;
}
