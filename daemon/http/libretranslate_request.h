// A request in the form of LibreTranslate's API.
//
// Thread-safety: may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/http/http_response.h"

namespace surtitle {

struct TranslateRequest {
  std::vector<std::string> texts;
  bool list = false;   // `q` is a list, so the response has lists
  std::string source;  // or "auto"
  std::string target;
  bool html = false;
};

Result<TranslateRequest> parse_translate_request(const HttpRequest& request);

// Returns the text whose language is asked for.
Result<std::string> parse_detect_request(const HttpRequest& request);

// Returns the field api_key, which has the token, or nullopt.
std::optional<std::string> api_key(const HttpRequest& request);

}  // namespace surtitle
