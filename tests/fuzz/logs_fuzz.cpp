// Logs that are read: of streams, SimulEval's, timed words, plain text; and what is made of them.
#include <sstream>
#include <stdexcept>

#include "daemon/evaluation/instance_scores.h"
#include "daemon/replay/replay_source.h"
#include "metrics/instance_log.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

void replay(std::string_view text) {
  try {
    const ReplaySource source = read_replay_source(fuzz::MemoryFile(text).path(), {});
    double last = 0;
    for (const TimedText& said : source.talk.texts) {
      fuzz::require(said.time >= last, "times go back");
      last = said.time;
    }
    fuzz::require(!source.talk.texts.empty(), "a log without words is taken");
    fuzz::require(source.talk.length > 0, "a talk without length");
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
