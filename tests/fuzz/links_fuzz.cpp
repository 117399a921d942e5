// What is shown as a token, to a daemon that knows one token and one key: nobody gets in by chance.
#include "daemon/access/signed_link.h"
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
                "what it has made itself is not known");
  const std::string_view text = fuzz::text_of(data, size);
  // libFuzzer sees what is compared, and may come to say the right one itself.
  fuzz::require(text == known.link || text == known.token.token ||
                    (!known.keys.find(text) && !known.tokens.find(text)),
                "somebody gets in", text);
  // The right one with something changed or added.
  for (const std::string* right : {&known.link, &known.token.token}) {
    std::string changed = *right;
    for (std::size_t i = 0; i + 1 < size; i += 2) {
      changed[data[i] % changed.size()] = static_cast<char>(data[i + 1]);
    }
    fuzz::require(changed == *right || (!known.keys.find(changed) && !known.tokens.find(changed)),
                  "somebody gets in", changed);
    const std::string longer = *right + std::string(text);
    fuzz::require(text.empty() || (!known.keys.find(longer) && !known.tokens.find(longer)),
                  "somebody gets in", longer);
  }
  return 0;
}
