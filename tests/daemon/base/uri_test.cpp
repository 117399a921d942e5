#include "daemon/base/uri.h"

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

}  // namespace
}  // namespace surtitle
