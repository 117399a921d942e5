#include "daemon/hub_options.h"

namespace surtitle {
namespace {

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

HubOptions hub_options(const DaemonConfig& config) {
  HubOptions options;
  options.limits.message_bytes = config.message_bytes;
  options.limits.sentence_words = config.sentence_words;
  options.limits.queued_words = config.queued_words;
  options.limits.outgoing_messages = config.outgoing_messages;
  options.limits.outgoing_bytes = config.outgoing_bytes;
  options.limits.silence_seconds = config.sentence_silence;
  options.limits.idle_seconds = config.idle_seconds;
  options.streams = config.streams;
  options.viewers = config.viewers;
  options.start_seconds = Seconds(config.request_seconds);
  options.resume = Seconds(config.resume);
  options.inbox_commands = static_cast<std::size_t>(config.inbox_commands);
  options.admission = {Seconds(config.admission_delay / 1000), config.admission_load};
  options.defaults = {unless_empty(config.default_model), unless_empty(config.default_policy)};
  return options;
}

}  // namespace surtitle
