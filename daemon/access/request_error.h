// The error of a request: its status over HTTP, and its code in the protocol.
//
// It is constructed from either of the two, and derives the other one.
//
// Thread-safety: plain values; all functions may be called from any thread.
#pragma once

#include <boost/system/result.hpp>
#include <string>

#include "daemon/protocol/protocol.h"

namespace surtitle {

struct RequestError {
  RequestError() = default;
  // `message`: one sentence for the client, without secrets. `retry_after`: seconds; 0: not sent.
  RequestError(int status, std::string message, int retry_after = 0);
  // The error that ended a stream, or rejected one.
  RequestError(const protocol::Error& error);  // NOLINT(google-explicit-constructor)

  protocol::Error to_protocol() const { return {code, message}; }

  int status = 500;
  protocol::ErrorCode code = protocol::ErrorCode::kInternal;
  std::string message;
  int retry_after = 0;
};

// A value, or the error of the request for it. Result<void> is true if there is no error.
template <class T>
using Result = boost::system::result<T, RequestError>;

}  // namespace surtitle
