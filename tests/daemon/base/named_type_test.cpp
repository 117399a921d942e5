// Numbers with types of their own.
#include "daemon/base/named_type.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <sstream>

namespace surtitle {
namespace {

using Metres = NamedType<std::int64_t, struct MetresTag>;
using Feet = NamedType<std::int64_t, struct FeetTag>;

static_assert(!std::convertible_to<std::int64_t, Metres>);
static_assert(!std::convertible_to<Metres, std::int64_t>);
static_assert(!std::convertible_to<Feet, Metres>);
static_assert(!std::equality_comparable_with<Feet, Metres>);

TEST(NamedType, ComparesWithItsOwnTypeAndPrintsItsValue) {
  EXPECT_EQ(Metres(), Metres(0));
  EXPECT_LT(Metres(1), Metres(2));
  std::ostringstream out;
  out << Metres(3);
  EXPECT_EQ(out.str(), "3");
}

}  // namespace
}  // namespace surtitle
