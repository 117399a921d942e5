// Fuzz target of the journal's rows.
//
// The first byte chooses a stream's settings, its input, or its output lines. Accepted settings
// must be the same after they are written and read again.
#include <variant>

#include "daemon/journal/journal_codec.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

constexpr std::uint64_t kStream = 7;

void read_settings(std::string_view text) {
  const auto settings = parse_settings(text);
  if (const auto* error = std::get_if<std::string>(&settings)) {
    fuzz::require_one_line(*error);
    return;
  }
  const std::string written = to_json(std::get<StreamSettings>(settings));
  const auto again = parse_settings(written);
  fuzz::require(again == settings, "settings differ when they are read again", written);
}

void read_input(std::string_view text) {
  const auto input = parse_input(text, kStream);
  if (const auto* error = std::get_if<std::string>(&input)) {
    fuzz::require_one_line(*error);
  } else if (const auto* events =
                 std::get_if<std::vector<TranslationEvent>>(&std::get<StreamInput>(input))) {
    for (const TranslationEvent& event : *events) {
      fuzz::require(event.key.stream == kStream && !event.failure && !event.idle,
                    "an event has fields that are not stored");
    }
    const std::string written = to_json(*events);
    const auto again = parse_input(written, kStream);
    fuzz::require(std::holds_alternative<StreamInput>(again), "written events are rejected",
                  written);
  }
}

void read_lines(std::string_view text) {
  StreamHistory history;
  history.rows.push_back({0, {}, std::string(text)});
  end_reason(history);
  error_of(history);
}

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  std::string_view input = fuzz::text_of(data, size);
  const std::uint8_t choice = fuzz::take_byte(input);
  choice % 3 == 0 ? read_settings(input) : choice % 3 == 1 ? read_input(input) : read_lines(input);
  return 0;
}
