#include "daemon/http/route_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "daemon/http/access_rules.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns the pattern of the row that answers, or else the methods that are allowed.
std::string found(http::verb method, std::string_view path) {
  const RouteMatch match = find_route(path, method);
  return match.route == nullptr ? "allowed: " + method_names(match.methods)
                                : std::string(match.route->pattern);
}

TEST(RouteTable, FindsTheRowOfAPathAndItsMethod) {
  EXPECT_EQ(found(http::verb::get, "/readyz"), "/readyz");
  EXPECT_EQ(found(http::verb::head, "/v1/models"), "/v1/models");
  EXPECT_EQ(found(http::verb::post, "/translate"), "/translate");
  EXPECT_EQ(found(http::verb::patch, "/v1/admin/settings"), "/v1/admin/settings");
  EXPECT_EQ(found(http::verb::get, "/v1/channels/main"), "/v1/channels/{NAME}");
  EXPECT_EQ(found(http::verb::get, "/"), "/");
}

TEST(RouteTable, APathMayHaveAnotherRowForWebSockets) {
  const RouteMatch page = find_route("/", http::verb::get);
  const RouteMatch socket = find_route("/", http::verb::get, /*upgrade=*/true);
  EXPECT_EQ(page.path_route->access, Access::kPage);
  EXPECT_EQ(socket.path_route->access, Access::kStream);
  EXPECT_EQ(method_names(page.methods), "GET, HEAD");
  EXPECT_EQ(find_route("/v1/stream", http::verb::get, /*upgrade=*/true).route->pattern,
            "/v1/stream");
}

TEST(RouteTable, ParametersEndAtASlash) {
  const std::string path = "/v1/channels/hall%2D2/transcript.srt";
  EXPECT_THAT(find_route(path, http::verb::get).parameters, ElementsAre("hall%2D2", "srt"));
  EXPECT_THAT(find_route("/c/", http::verb::get).parameters, ElementsAre(""));
  EXPECT_EQ(found(http::verb::get, "/c/a/b"), "*");
  EXPECT_EQ(found(http::verb::get, "/v1/channels/a/b/transcript.vtt"), "/v1/*");
}

TEST(RouteTable, OtherPathsAreFiles) {
  for (const char* path : {"/style.css", "/livez/", "*", "", "style.css", "/{NAME}"}) {
    EXPECT_EQ(found(http::verb::get, path), "*") << path;
  }
}

TEST(RouteTable, NamesTheMethodsOfAPath) {
  EXPECT_EQ(found(http::verb::delete_, "/v1/admin/settings"), "allowed: GET, HEAD, PATCH");
  EXPECT_EQ(found(http::verb::get, "/v1/admin/drain"), "allowed: POST");
  EXPECT_EQ(found(http::verb::post, "/v1/stream"), "allowed: GET, HEAD");
  EXPECT_EQ(found(http::verb::put, "/translate"), "allowed: POST");
  EXPECT_EQ(found(http::verb::get, "/translate"), "allowed: POST");
  EXPECT_EQ(found(http::verb::post, "/nothing"), "allowed: GET, HEAD");
  EXPECT_EQ(found(http::verb::get, "/v1/admin/nothing"), "allowed: ");
}

// Returns "any", or the role with its channel, or "".
std::string required(http::verb method, std::string_view path, bool open_metrics = false) {
  const AccessRequirement needs = requirement_of(find_route(path, method), open_metrics);
  switch (needs.what) {
    case AccessRequirement::What::kNothing:
      return "";
    case AccessRequirement::What::kAnyRole:
      return "any";
    case AccessRequirement::What::kRole:
      break;
  }
  return std::string(name(needs.role)) + " " +
         (needs.any_channel ? "*" : needs.channel.value_or("-"));
}

TEST(RouteTable, AccessHoldsForAllMethodsOfAPath) {
  for (const http::verb method : {http::verb::get, http::verb::post, http::verb::delete_}) {
    EXPECT_EQ(required(method, "/livez"), "");
    EXPECT_EQ(required(method, "/c/main"), "");
    EXPECT_EQ(required(method, "/viewer.html"), "");
    EXPECT_EQ(required(method, "/v1/stream"), "send -");
    EXPECT_EQ(required(method, "/translate"), "send *");
    EXPECT_EQ(required(method, "/output"), "send *");
    EXPECT_EQ(required(method, "/v1/channels/h%61ll"), "view hall");
    EXPECT_EQ(required(method, "/v1/channels/hall/transcript.txt"), "view hall");
    EXPECT_EQ(required(method, "/v1/channels/a%2Fb"), "any");
    EXPECT_EQ(required(method, "/v1/models"), "any");
    EXPECT_EQ(required(method, "/v1/unknown"), "any");
    EXPECT_EQ(required(method, "/v1/admin/drain"), "admin *");
    EXPECT_EQ(required(method, "/v1/admin/"), "admin *");
    EXPECT_EQ(required(method, "/metrics"), "admin *");
    EXPECT_EQ(required(method, "/metrics", /*open_metrics=*/true), "");
  }
}

std::string_view role_in_document(Access access) {
  switch (access) {
    case Access::kProbe:
    case Access::kPage:
      return "none";
    case Access::kAnyRole:
      return "any";
    case Access::kView:
      return "view";
    case Access::kStream:
    case Access::kSend:
    case Access::kNewStream:
      return "send";
    case Access::kMetrics:
    case Access::kAdmin:
      return "admin";
  }
  return "";
}

TEST(RouteTable, IsDocumented) {
  std::ifstream file(SURTITLE_SOURCE_DIR "/docs/protocol.md");
  std::stringstream document;
  document << file.rdbuf();
  for (const Route& route : routes()) {
    if (route.pattern.ends_with('*')) {
      continue;
    }
    const std::string address =
        std::regex_replace(std::string(route.pattern), std::regex("[{}]"), "");
    const std::string methods = method_names(route.methods);
    EXPECT_THAT(document.str(),
                HasSubstr("| `" + methods.substr(0, methods.find(',')) + " " + address + "` | " +
                          std::string(role_in_document(route.access)) + " |"));
  }
}

TEST(RequestError, HasAStatusAndACodeOfTheProtocol) {
  EXPECT_EQ(RequestError(429, "").code, protocol::ErrorCode::kRateLimited);
  EXPECT_EQ(RequestError(403, "").code, protocol::ErrorCode::kForbidden);
  EXPECT_EQ(RequestError(404, "").code, protocol::ErrorCode::kBadField);
  const RequestError overloaded(protocol::Error{protocol::ErrorCode::kOverloaded, "later", 7});
  EXPECT_EQ(overloaded.status, 503);
  EXPECT_EQ(overloaded.retry_after, 7);
  const RequestError draining(protocol::Error{protocol::ErrorCode::kDraining, "later"});
  EXPECT_EQ(draining.status, 503);
  EXPECT_EQ(draining.code, protocol::ErrorCode::kDraining);
  EXPECT_GT(draining.retry_after, 0);
  const RequestError policy(protocol::Error{protocol::ErrorCode::kBadPolicy, "unknown"});
  EXPECT_EQ(policy.status, 400);
  EXPECT_EQ(policy.retry_after, 0);
}

}  // namespace
}  // namespace surtitle
