#include "daemon/http/static_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace surtitle {
namespace {

namespace fs = std::filesystem;

class StaticFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    base_ = fs::path(::testing::TempDir()) / ("surtitle_static_" + std::string(test->name()));
    fs::remove_all(base_);
    fs::create_directories(base_ / "web/sub");
    fs::create_directories(base_ / "web2");
    write("web/index.html", "page");
    write("web/sub/index.html", "subpage");
    write("web/sub/a b.js", "script");
    write("web/.hidden", "secret");
    write("web2/secret.txt", "secret");
    write("secret.txt", "secret");
    fs::create_symlink(base_ / "secret.txt", base_ / "web/link.txt");
  }
  void TearDown() override { fs::remove_all(base_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(base_ / name) << content;
  }

  std::string find(const std::string& path) const {
    const auto file = StaticFiles(base_ / "web").find(path);
    return file ? file->content : "-";
  }

  fs::path base_;
};

TEST_F(StaticFilesTest, FindsFilesByName) {
  EXPECT_EQ(find("/"), "page");
  EXPECT_EQ(find("/index.html"), "page");
  EXPECT_EQ(find("/sub/"), "subpage");
  EXPECT_EQ(find("/sub/a%20b.js"), "script");
  EXPECT_EQ(StaticFiles(base_ / "web").find("/sub/a%20b.js")->content_type,
            "text/javascript; charset=utf-8");
}

TEST_F(StaticFilesTest, FindsNothingOutsideTheFolder) {
  for (const char* path : {"/../secret.txt",
                           "/sub/../../secret.txt",
                           "/%2e%2e/secret.txt",
                           "/..%2fsecret.txt",
                           "/../web2/secret.txt",
                           "/sub/%2E%2E/%2E%2E/secret.txt",
                           "//secret.txt",
                           "/./index.html",
                           "/link.txt",
                           "/.hidden",
                           "/..\\secret.txt",
                           "/%00",
                           "/index.html%00.js",
                           "/sub",
                           "/nothing",
                           "",
                           "index.html",
                           "/%",
                           "/%4",
                           "/%zz"}) {
    EXPECT_EQ(find(path), "-") << path;
  }
  EXPECT_EQ(find((base_ / "secret.txt").string()), "-");
}

TEST_F(StaticFilesTest, RequiresAFolder) {
  EXPECT_THROW(StaticFiles(base_ / "none"), std::runtime_error);
  EXPECT_THROW(StaticFiles(base_ / "secret.txt"), std::runtime_error);
}

}  // namespace
}  // namespace surtitle
