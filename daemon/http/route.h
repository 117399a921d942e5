// A row of the route table: a path, its methods, the access that it requires, and its handler.
//
// Thread-safety: plain values; handlers run on the network thread.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/access/authenticated_client.h"
#include "daemon/channels/connection.h"
#include "daemon/http/http_context.h"
#include "daemon/http/http_response.h"
#include "daemon/net/beast.h"

namespace surtitle {

// Methods of HTTP, as bits. kGet includes HEAD. kWebSocket is the upgrade to a WebSocket at a path
// that another row answers without one.
enum Methods : unsigned {
  kNoMethod = 0,
  kGet = 1,
  kPost = 2,
  kPut = 4,
  kPatch = 8,
  kWebSocket = 16,
};

enum class Access {
  kProbe,      // everybody, without a check of the host name and without quotas
  kPage,       // everybody: it contains no words of streams
  kAnyRole,    // a client with any role
  kView,       // role view on the channel of the path
  kStream,     // role send; the message `start` names the channel
  kSend,       // role send on all channels
  kNewStream,  // as kSend; the request counts as a stream of the client
  kMetrics,    // role admin, unless the configuration opens the metrics
  kAdmin,      // role admin on all channels; without authentication, the loopback
};

// A request that has a route. It exists until its handler has answered.
struct RoutedRequest {
  const HttpRequest& request;
  const HttpContext& context;
  const std::shared_ptr<AuthenticatedClient>& client;  // not null
  const std::vector<std::string_view>& parameters;     // of the pattern, in order, percent-encoded
  std::string_view path = {};
  std::string_view query = {};
};

using Answer = Result<HttpResponse> (*)(const RoutedRequest&);
using AnswerLater = asio::awaitable<Result<HttpResponse>> (*)(const RoutedRequest&);
using OpenWebSocket = Result<std::unique_ptr<ConnectionHandler>> (*)(const RoutedRequest&);

struct Route {
  unsigned methods;
  // "{NAME}" is a parameter. It ends at the next '/', or at the character that follows it in the
  // pattern. "*" at the end stands for any text.
  std::string_view pattern;
  Access access;
  std::variant<Answer, AnswerLater, OpenWebSocket> handler = Answer(nullptr);
  ErrorFormat errors = ErrorFormat::kText;
  bool has_api_key = false;  // the body may have the token, as in LibreTranslate's API
};

}  // namespace surtitle
