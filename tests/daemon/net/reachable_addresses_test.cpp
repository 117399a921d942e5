#include "daemon/net/reachable_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace surtitle {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> reach(const std::string& listening, bool only_v6,
                               const std::vector<std::string>& of_machine) {
  std::vector<asio::ip::address> own;
  for (const std::string& address : of_machine) {
    own.push_back(asio::ip::make_address(address));
  }
  std::vector<std::string> texts;
  for (const auto& address : reachable_addresses(asio::ip::make_address(listening), only_v6, own)) {
    texts.push_back(address.to_string());
  }
  return texts;
}

TEST(ReachableAddresses, AreThoseOfTheMachineIfTheSocketIsOnAllOfThem) {
  const std::vector<std::string> machine{"192.0.2.7", "198.51.100.1", "2001:db8::7"};
  EXPECT_THAT(reach("0.0.0.0", false, machine), ElementsAre("192.0.2.7", "198.51.100.1"));
  EXPECT_THAT(reach("::", false, machine), ElementsAre("192.0.2.7", "198.51.100.1", "2001:db8::7"));
  EXPECT_THAT(reach("::", true, machine), ElementsAre("2001:db8::7"));
}

TEST(ReachableAddresses, AreTheAddressItselfOtherwise) {
  for (const char* address : {"127.0.0.1", "::1", "192.0.2.7"}) {
    EXPECT_THAT(reach(address, false, {"198.51.100.1"}), ElementsAre(address));
  }
}

TEST(ReachableAddresses, AreTheLoopbackOnAMachineWithoutANetwork) {
  EXPECT_THAT(reach("0.0.0.0", false, {}), ElementsAre("127.0.0.1"));
  EXPECT_THAT(reach("::", false, {}), ElementsAre("::1"));
}

TEST(MachineAddresses, AreReachableByOthers) {
  bool six = false;
  for (const auto& address : machine_addresses()) {
    EXPECT_FALSE(address.is_loopback() || address.is_unspecified()) << address.to_string();
    EXPECT_FALSE(address.is_v6() && address.to_v6().is_link_local()) << address.to_string();
    EXPECT_TRUE(address.is_v6() || !six) << "IPv4 is first";
    six = address.is_v6();
  }
}

}  // namespace
}  // namespace surtitle
