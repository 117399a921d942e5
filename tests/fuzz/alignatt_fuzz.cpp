// Fuzz target of the messages of WhisperLiveKit's translation protocol.
#include "daemon/alignatt/alignatt_protocol.h"
#include "daemon/alignatt/utterance.h"
#include "model/util/utf8.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  const auto message = alignatt::parse(fuzz::text_of(data, size));
  if (const auto* error = std::get_if<alignatt::Error>(&message)) {
    fuzz::require_one_line(error->message);
    fuzz::require(is_valid_utf8(error->message), "an error message is not UTF-8", error->message);
  } else if (const auto* update = std::get_if<alignatt::Update>(&message)) {
    alignatt::Utterance utterance(update->utterance_id);
    for (const protocol::Source& source : utterance.add_words(update->words)) {
      fuzz::require(!source.text.empty(), "an empty message of words");
    }
    fuzz::require(utterance.has_words_of(*update), "words are missing");
    fuzz::require(utterance.answer(*update).final == update->is_final, "another end");
  }
  return 0;
}
