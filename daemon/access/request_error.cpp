#include "daemon/access/request_error.h"

#include <algorithm>
#include <array>
#include <utility>

namespace surtitle {
namespace {

using protocol::ErrorCode;

constexpr int kBadRequest = 400;  // the status of all other codes
constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;

// The first row of a status or of a code is its counterpart.
constexpr std::array<std::pair<int, ErrorCode>, 7> kStatuses{{
    {403, ErrorCode::kForbidden},
    {401, ErrorCode::kForbidden},
    {kTooManyRequests, ErrorCode::kRateLimited},
    {500, ErrorCode::kInternal},
    {kUnavailable, ErrorCode::kOverloaded},
    {kUnavailable, ErrorCode::kTooManyStreams},
    {kUnavailable, ErrorCode::kDraining},
}};

ErrorCode code_of(int status) {
  const auto* row = std::find_if(kStatuses.begin(), kStatuses.end(),
                                 [&](const auto& known) { return known.first == status; });
  return row == kStatuses.end() ? ErrorCode::kBadField : row->second;
}

int status_of(ErrorCode code) {
  const auto* row = std::find_if(kStatuses.begin(), kStatuses.end(),
                                 [&](const auto& known) { return known.second == code; });
  return row == kStatuses.end() ? kBadRequest : row->first;
}

}  // namespace

RequestError::RequestError(int status_given, std::string message_given, int retry_given)
    : status(status_given),
      code(code_of(status_given)),
      message(std::move(message_given)),
      retry_after(retry_given) {}

RequestError::RequestError(const protocol::Error& error)
    : status(status_of(error.code)), code(error.code), message(error.message) {
  // For errors without a time: until a stream ends, the next daemon listens, or a quota has
  // refilled.
  constexpr int kUsualSeconds = 5;
  if (status == kUnavailable || status == kTooManyRequests) {
    retry_after = error.retry_seconds.value_or(kUsualSeconds);
  }
}

}  // namespace surtitle
