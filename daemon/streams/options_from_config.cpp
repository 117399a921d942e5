#include "daemon/streams/options_from_config.h"

#include "model/util/processors.h"

namespace surtitle {
namespace {

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

ServerOptions server_options(const DaemonConfig& config) {
  ServerOptions options;
  options.limits.message_bytes = config.message_bytes;
  options.limits.sentence_words = config.sentence_words;
  options.limits.queued_words = config.queued_words;
  options.limits.outgoing_messages = config.outgoing_messages;
  options.limits.outgoing_bytes = config.outgoing_bytes;
  options.limits.silence_seconds = config.sentence_silence;
  options.limits.idle_seconds = config.timeouts_idle;
  options.streams = config.streams;
  options.viewers = config.viewers;
  options.start_seconds = Seconds(config.timeouts_request);
  options.resume_timeout = Seconds(config.resume_timeout);
  options.models.inbox_commands = static_cast<std::size_t>(config.inbox_commands);
  options.admission = admission_options(config);
  options.models.defaults = {unless_empty(config.default_model),
                             unless_empty(config.default_policy)};
  return options;
}

AdmissionOptions admission_options(const DaemonConfig& config) {
  const double load = config.admission_max_load > 0
                          ? config.admission_max_load
                          : default_admission_load(available_processors());
  return {Seconds(config.admission_max_delay_p95 / 1000), load};
}

double default_admission_load(int processors) { return processors > 1 ? 0.65 : 0.4; }

}  // namespace surtitle
