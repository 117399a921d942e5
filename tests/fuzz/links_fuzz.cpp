// Fuzz target of tokens and signed links, with one known token and one key.
//
// Random text, and changed or extended tokens and links, must not grant access.
#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

struct Known {
  NewToken token = make_token(everything_of("stage"));
  TokenFile tokens = TokenFile::read(fuzz::MemoryFile(token.line + "\n").path());
  LinkKeys keys = LinkKeys::read(fuzz::MemoryFile(make_link_key() + "\n").path());
  std::string link = keys.sign({Role::kView, "main", CalendarSeconds(std::chrono::hours(1000000))});

  static Grant everything_of(const std::string& name) {
    Grant grant = unrestricted_grant();
    grant.name = name;
    return grant;
  }
};

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  static const Known known;
  fuzz::require(known.keys.find(known.link) && known.tokens.find(known.token.token),
                "a valid token or link is rejected");
  const std::string_view text = fuzz::text_of(data, size);
  // libFuzzer observes comparisons and may find the valid ones itself.
  fuzz::require(text == known.link || text == known.token.token ||
                    (!known.keys.find(text) && !known.tokens.find(text)),
                "access is granted", text);
  // The valid ones with changed or additional characters.
  for (const std::string* right : {&known.link, &known.token.token}) {
    std::string changed = *right;
    for (std::size_t i = 0; i + 1 < size; i += 2) {
      changed[data[i] % changed.size()] = static_cast<char>(data[i + 1]);
    }
    fuzz::require(changed == *right || (!known.keys.find(changed) && !known.tokens.find(changed)),
                  "access is granted", changed);
    const std::string longer = *right + std::string(text);
    fuzz::require(text.empty() || (!known.keys.find(longer) && !known.tokens.find(longer)),
                  "access is granted", longer);
  }
  return 0;
}
