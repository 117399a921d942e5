// Fuzz target of logs: stream logs, timed words, plain text and SimulEval's instances.log.
#include <sstream>
#include <stdexcept>

#include "daemon/evaluation/instance_scores.h"
#include "daemon/replay/replay_input.h"
#include "metrics/instance_log.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

void replay(std::string_view text) {
  try {
    const ReplayInput input = read_replay_input(fuzz::MemoryFile(text).path(), {});
    double last = 0;
    for (const TimedText& text_at : input.transcript.texts) {
      fuzz::require(text_at.time >= last, "times decrease");
      last = text_at.time;
    }
    fuzz::require(!input.transcript.texts.empty(), "a log without words is accepted");
    fuzz::require(input.transcript.length > 0, "a talk has no length");
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
  }
}

void score(std::string_view text) {
  std::istringstream in{std::string(text)};
  try {
    for (const Instance& instance : read_instances(in, "log")) {
      latency(instance);
      to_instance_log_line(instance);
    }
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
  }
}

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = surtitle::fuzz::text_of(data, size);
  surtitle::replay(text);
  surtitle::score(text);
  return 0;
}
