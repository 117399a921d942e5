#include "daemon/access/host_allowlist.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

TEST(HostAllowlist, AllowLocalhostAndEveryIpAddress) {
  const HostAllowlist hosts({});
  for (const char* host :
       {"localhost", "LOCALHOST:8765", "localhost.", "obs.localhost:1", "127.0.0.1",
        "127.0.0.1:8765", "192.168.1.7:80", "[::1]", "[::1]:8765", "[fe80::1]:8765"}) {
    EXPECT_TRUE(hosts.allow(host)) << host;
  }
  for (const char* host :
       {"", ":", ":80", "evil.example", "evil.example:8765", "127.0.0.1.evil.example",
        "localhost.evil.example", "notlocalhost", "0x7f.1", "127.1", "::1", "[::1",
        "[evil.example]", "127.0.0.1:80:evil.example", "evil.example]", "evil.example@127.0.0.1"}) {
    EXPECT_FALSE(hosts.allow(host)) << host;
  }
}

TEST(HostAllowlist, AllowConfiguredNames) {
  const HostAllowlist hosts({"subtitles.example.org", "*.Hall.example"});
  EXPECT_TRUE(hosts.allow("Subtitles.Example.org:443"));
  EXPECT_TRUE(hosts.allow("subtitles.example.org."));
  EXPECT_TRUE(hosts.allow("a.hall.example"));
  EXPECT_TRUE(hosts.allow("a.b.hall.example"));
  EXPECT_FALSE(hosts.allow("hall.example"));
  EXPECT_FALSE(hosts.allow("ahall.example"));
  EXPECT_FALSE(hosts.allow("x.subtitles.example.org"));
  EXPECT_TRUE(HostAllowlist({"*"}).allow("whatever.example"));
}

}  // namespace
}  // namespace surtitle
