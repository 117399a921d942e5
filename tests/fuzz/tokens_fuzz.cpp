// Fuzz target of the files of tokens and of link keys; the first byte chooses one of them.
#include <stdexcept>

#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  std::string_view input = fuzz::text_of(data, size);
  const std::uint8_t choice = fuzz::take_byte(input);
  const fuzz::MemoryFile file(input);
  try {
    if (choice % 2 == 0) {
      const TokenFile tokens = TokenFile::read(file.path());
      fuzz::require(!tokens.find(input), "the file itself is a valid token");
    } else {
      LinkKeys::read(file.path());
    }
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
