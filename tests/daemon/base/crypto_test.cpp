#include "daemon/base/crypto.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

TEST(Secrets, HmacMatchesRfc4231) {
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?"),
            bytes_of_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
}

TEST(Secrets, Base64UrlMatchesRfc4648) {
  EXPECT_EQ(to_base64url(""), "");
  EXPECT_EQ(to_base64url("f"), "Zg");
  EXPECT_EQ(to_base64url("fo"), "Zm8");
  EXPECT_EQ(to_base64url("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64url("\xfb\xff\xbf"), "-_-_");
  for (const char* text : {"", "f", "fo", "foo", "foob", "\xfb\xff\xbf\xff"}) {
    EXPECT_EQ(from_base64url(to_base64url(text)), text);
  }
  for (const char* wrong : {"A", "Zh", "Zg==", "Zm 8", "Zm+8", "Zm9vYmFyA"}) {
    EXPECT_FALSE(from_base64url(wrong)) << wrong;
  }
}

TEST(Secrets, AreEqualOnlyInFull) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", "a"));
}

TEST(Secrets, AreRandom) { EXPECT_NE(random_bytes(32), random_bytes(32)); }

}  // namespace
}  // namespace surtitle
