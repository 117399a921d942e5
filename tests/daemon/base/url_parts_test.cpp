#include "daemon/base/url_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Query, SplitsPathAndQuery) {
  EXPECT_THAT(split_target("/c/main?a=1?2"), Pair("/c/main", "a=1?2"));
  EXPECT_THAT(split_target("/c/main"), Pair("/c/main", ""));
}

TEST(Query, ReadsNamesAndValuesInOrder) {
  EXPECT_THAT(parse_query("track=fr&lines=2&b&a%20b=%3D&lines="),
              ElementsAre(Pair("track", "fr"), Pair("lines", "2"), Pair("b", ""), Pair("a b", "="),
                          Pair("lines", "")));
}

TEST(Query, SkipsInvalidParameters) {
  EXPECT_THAT(parse_query("a=%zz&b=%00&%1=c&=d&&"), IsEmpty());
  EXPECT_THAT(parse_query(""), IsEmpty());
}

TEST(UrlParts, AreThoseOfTheUrl) {
  const UrlParts all = *split_url("user:p@ss/word@[::1]:6379/0?a=b");
  EXPECT_EQ(all.login, "user:p@ss/word");
  EXPECT_EQ(all.host, "::1");
  EXPECT_EQ(all.port, 6379);
  EXPECT_EQ(all.path, "/0");
  EXPECT_EQ(all.query, "?a=b");
  const UrlParts host = *split_url("example.org");
  EXPECT_EQ(host.host, "example.org");
  EXPECT_FALSE(host.login || host.port);
  EXPECT_EQ(authority("::1", "80"), "[::1]:80");
}

TEST(UrlParts, RequireAHostAndAValidPort) {
  for (const char* wrong : {"", "/a", "a:", "a:0", "a:65536", "a:8x", ":80", "::1", "[::1", "[]:1",
                            "[::1]x", "a:b:1"}) {
    EXPECT_FALSE(split_url(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace surtitle
