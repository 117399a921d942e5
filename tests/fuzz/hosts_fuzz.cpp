// Fuzz target of the field Host. The first line is an allowed name, the rest is the field.
#include <vector>

#include "daemon/access/host_allowlist.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surtitle;
  const std::string_view input = fuzz::text_of(data, size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string name(input.substr(0, end));
  const std::string_view host = input.substr(std::min(end + 1, input.size()));
  HostAllowlist({name}).allow(host);
  fuzz::require(HostAllowlist({"*"}).allow("example.org"), "* does not allow all names");
  const bool ours = HostAllowlist({"example.org"}).allow(host);
  fuzz::require(!ours || HostAllowlist({"example.org", name}).allow(host),
                "an additional name rejects an allowed host", host);
  fuzz::require(HostAllowlist({}).allow("127.0.0.1"), "the loopback is not allowed");
  return 0;
}
