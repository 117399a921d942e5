// Fuzz target of recognisers' output, in every format and `auto`.
//
// The first byte chooses the format, F the first one; the second byte the size of the pieces into
// which the rest is divided. The division must not change the result.
#include <stdexcept>

#include "daemon/recognisers/registry.h"
#include "model/util/utf8.h"
#include "tests/daemon/recognisers/hearing.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

struct Outcome {
  std::vector<std::string> heard;
  std::string error;

  bool operator==(const Outcome&) const = default;
};

std::string shown(const Outcome& outcome) {
  std::string text;
  for (const std::string& one : outcome.heard) {
    text += one + "|";
  }
  return text + " error: " + outcome.error;
}

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// `piece`: bytes of a piece; `pauses`: there is a pause after each piece.
Outcome hear(std::string_view format, std::string_view bytes, std::size_t piece, bool pauses) {
  Outcome outcome;
  Hearing hearing(format);
  const auto run = [&](const auto& step) {
    try {
      append(outcome.heard, step());
      return true;
    } catch (const std::runtime_error& error) {
      outcome.error = error.what();
      fuzz::require_one_line(outcome.error);
      append(outcome.heard, hearing.rest());
      return false;
    }
  };
  bool valid = true;
  while (valid && !bytes.empty()) {
    const std::string_view next = bytes.substr(0, piece);
    bytes.remove_prefix(next.size());
    valid = run([&] { return hearing.feed(next); });
    if (valid && pauses) {
      valid = run([&] { return hearing.pause(); });
    }
  }
  if (valid) {
    run([&] { return hearing.finish(); });
  }
  for (const std::string& one : outcome.heard) {
    fuzz::require(is_valid_utf8(one), "a message is not UTF-8", one);
  }
  for (const std::string& note : hearing.notes) {
    fuzz::require_one_line(note);
  }
  return outcome;
}

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  std::string_view input = fuzz::text_of(data, size);
  const auto formats = recogniser_formats();
  const std::size_t index = (256U + fuzz::take_byte(input) - 'F') % 256 % formats.size();
  const std::string_view format = formats[index].name;
  const std::size_t piece = 1 + fuzz::take_byte(input) % 64;
  const Outcome whole = hear(format, input, input.size(), /*pauses=*/false);
  const Outcome pieces = hear(format, input, piece, /*pauses=*/false);
  fuzz::require(whole == pieces, "the division into pieces changes the result",
                std::string(format) + ": " + shown(whole) + "\n" + shown(pieces));
  hear(format, input, piece, /*pauses=*/true);
  return 0;
}
