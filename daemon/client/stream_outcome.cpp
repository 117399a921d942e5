#include "daemon/client/stream_outcome.h"

#include <charconv>
#include <utility>

namespace surtitle {
namespace {

using protocol::ByeReason;

// The daemon writes the field `type` first.
constexpr std::string_view kAck = R"({"type":"ack","seq":)";
bool is_ack(std::string_view text) { return text.starts_with(kAck); }
bool is_metrics(std::string_view text) { return text.starts_with(R"({"type":"metrics")"); }

std::string meaning(ByeReason reason) {
  switch (reason) {
    case ByeReason::kDraining:
      return "it is shutting down";
    case ByeReason::kSlow:
      return "the translation was not read fast enough";
    case ByeReason::kFinished:
      return "it no longer waits for the sender";
    default:
      return std::string(name(reason));
  }
}

}  // namespace

std::optional<protocol::ServerMessage> StreamOutcome::receive(std::string_view text) {
  if (is_ack(text)) {
    std::from_chars(text.data() + kAck.size(), text.data() + text.size(), acked_);
    return std::nullopt;
  }
  if (is_metrics(text)) {
    return std::nullopt;
  }
  std::variant<protocol::ServerMessage, protocol::Error> parsed =
      protocol::parse_server_message(text);
  if (const auto* bad = std::get_if<protocol::Error>(&parsed)) {
    error_ = "the server sent an invalid message of surtitle.v1: " + bad->message;
    return std::nullopt;
  }
  auto& message = std::get<protocol::ServerMessage>(parsed);
  if (const auto* error = std::get_if<protocol::Error>(&message)) {
    if (!protocol::is_notice(error->code) && !error_) {
      error_ = error->message;
      retry_seconds_ = error->retry_seconds;
    }
  } else if (const auto* bye = std::get_if<protocol::Bye>(&message)) {
    bye_ = bye->reason;
  }
  return std::move(message);
}

std::optional<std::string> StreamOutcome::failure(const std::string& url,
                                                  const std::string& ending) const {
  if (error_) {
    return error_;
  }
  if (!bye_) {
    return "the connection to " + url + " was " + ending;
  }
  const bool all_acked = last_seq_ && acked_ >= *last_seq_;
  if (all_acked && (*bye_ == ByeReason::kFinished || *bye_ == ByeReason::kDraining)) {
    return std::nullopt;
  }
  return "the server at " + url +
         " ended the stream before the end of the input: " + meaning(*bye_);
}

}  // namespace surtitle
