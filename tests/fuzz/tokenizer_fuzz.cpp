// Fuzz target of tokenizers' files.
//
// The first byte chooses our checks of SentencePiece models, which SentencePiece does not make, or
// fairseq's dictionaries.
#include <stdexcept>

#include "model/text/dictionary.h"
#include "model/text/sentencepiece_checks.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  std::string_view input = fuzz::text_of(data, size);
  const bool dictionary = fuzz::take_byte(input) % 2 == 1;
  try {
    if (dictionary) {
      load_dictionary(fuzz::MemoryFile(input).path());
    } else {
      check_sentencepiece_model(input, "sentencepiece.model");
    }
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
