// One HTTP request to a daemon, and its answer; blocks meanwhile.
//
// Thread-safety: full.
#pragma once

#include <string>

#include "daemon/base/url.h"

namespace surtitle {

// The body of what is answered to GET `target`, below the path of `url`, with its token. Throws
// std::runtime_error, one sentence, where there is no answer within ten seconds or another one than
// 200.
std::string http_get(const Url& url, const std::string& target);

}  // namespace surtitle
