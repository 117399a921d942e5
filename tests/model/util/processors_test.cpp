#include "model/util/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "tests/model/support/test_files.h"
#include "tests/on_one_processor.h"

namespace surtitle {
namespace {

class GrantedProcessors : public ::testing::Test {
 protected:
  void grant(const std::string& group, const std::string& line) {
    std::filesystem::create_directories(groups_ / group);
    write_text(groups_ / group / "cpu.max", line + "\n");
  }
  std::optional<double> granted(const std::string& memberships) const {
    return granted_processors(memberships, groups_);
  }

  const TemporaryFolder folder_;
  const std::filesystem::path groups_ = folder_.path();
};

TEST_F(GrantedProcessors, AreThoseOfTheOwnGroup) {
  grant("system.slice/surtitle.service", "150000 100000");
  EXPECT_EQ(granted("0::/system.slice/surtitle.service\n"), 1.5);
  EXPECT_EQ(granted("1:cpu:/other\n0::/system.slice/surtitle.service\n"), 1.5);
  EXPECT_EQ(granted("0::/system.slice/other.service\n"), std::nullopt);
}

TEST_F(GrantedProcessors, AreTheLeastOfAllGroupsAbove) {
  grant("pods", "200000 100000");
  grant("pods/one", "max 100000");
  grant("pods/one/inner", "800000 100000");
  grant("pods/one/inner/small", "50000 100000");
  EXPECT_EQ(granted("0::/pods/one/inner\n"), 2);
  EXPECT_EQ(granted("0::/pods/one/inner/small\n"), 0.5);
}

TEST_F(GrantedProcessors, AreThoseOfTheRootWhereAContainerSeesItselfAsOne) {
  grant(".", "400000 100000");
  EXPECT_EQ(granted("0::/\n"), 4);
}

TEST_F(GrantedProcessors, AreNotLimitedByWhatCannotBeRead) {
  for (const char* line : {"max 100000", "", "nonsense", "-1 100000", "100000 0", "0 100000"}) {
    grant("group", line);
    EXPECT_EQ(granted("0::/group\n"), std::nullopt) << line;
  }
  EXPECT_EQ(granted(""), std::nullopt);
  EXPECT_EQ(granted("4:cpu:/group\n"), std::nullopt) << "only version 1";
}

TEST(WholeProcessors, AreThoseWhoseTimeWasGranted) {
  EXPECT_EQ(whole_processors(3, std::nullopt), 3);
  EXPECT_EQ(whole_processors(2, 4), 2);
  EXPECT_EQ(whole_processors(8, 2), 2);
  EXPECT_EQ(whole_processors(8, 2.9), 2);
  EXPECT_EQ(whole_processors(8, 1.1), 1);
  EXPECT_EQ(whole_processors(8, 0.2), 1);
  EXPECT_EQ(whole_processors(8, 1e18), 8);
  EXPECT_EQ(whole_processors(0, std::nullopt), 1);
}

TEST(AvailableProcessors, AreThoseOfTheAffinityMask) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  EXPECT_EQ(available_processors(),
            whole_processors(CPU_COUNT(&mask),
                             granted_processors(read_text("/proc/self/cgroup"), "/sys/fs/cgroup")));
  on_one_processor([] { EXPECT_EQ(available_processors(), 1); });
  EXPECT_EQ(thread_count(3), 3);
  EXPECT_EQ(thread_count(0), available_processors());
}

}  // namespace
}  // namespace surtitle
