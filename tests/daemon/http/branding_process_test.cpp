// The logo and the accent colour of an event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/test_client.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BrandingTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/" + name, std::ios::binary) << content;
    return folder_ + "/" + name;
  }

 private:
  const StateFolder state_;
  const std::string folder_ = state_.journal() + ".logo";
};

HttpAnswer get(const DaemonProcess& daemon, const std::string& path) {
  return ask_http(daemon.port(), "GET " + path + " HTTP/1.1");
}

TEST_F(BrandingTest, IsServedAtFixedPaths) {
  const std::string svg = "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>";
  const DaemonProcess daemon({"--pages-logo", file("a.svg", svg), "--pages-accent", "#0A6b3c"});
  const HttpAnswer logo = get(daemon, "/logo");
  EXPECT_EQ(logo.body, svg);
  EXPECT_THAT(logo.headers,
              AllOf(HasSubstr("Content-Type: image/svg+xml"), HasSubstr("default-src 'none'"),
                    HasSubstr("sandbox"), HasSubstr("X-Content-Type-Options: nosniff")));
  const HttpAnswer style = get(daemon, "/branding.css");
  EXPECT_THAT(style.headers, HasSubstr("Content-Type: text/css"));
  EXPECT_EQ(style.body,
            ":root { --accent: #0A6b3c; --on-accent: #fff; }\n"
            ".logo { background-image: url(\"logo\"); display: block; }\n");
}

TEST_F(BrandingTest, IsNoneByDefault) {
  const DaemonProcess daemon;
  EXPECT_EQ(get(daemon, "/branding.css").status, 200);
  EXPECT_EQ(get(daemon, "/branding.css").body, "");
  EXPECT_EQ(get(daemon, "/logo").status, 404);
}

TEST_F(BrandingTest, TextOnTheAccentColourHasTheBetterContrast) {
  for (const auto& [accent, text] : {std::pair("#ffe94a", "#000"), std::pair("#777777", "#000"),
                                     std::pair("#757575", "#fff"), std::pair("#0000ff", "#fff")}) {
    const DaemonProcess daemon({"--pages-accent", accent});
    EXPECT_THAT(get(daemon, "/branding.css").body, HasSubstr(std::string("--on-accent: ") + text))
        << accent;
  }
}

TEST_F(BrandingTest, OtherFilesAreRejectedAtTheStart) {
  for (const std::string& wrong :
       {file("no.png", "GIF89a"),
        file("large.png", "\x89PNG\r\n\x1a\n" + std::string(600'000, 'x')),
        std::string("/absent/logo.svg"), std::string("/")}) {
    for (const std::string mode : {"--log-level=info", "--check"}) {
      const Ended ended = DaemonProcess::run({"--pages-logo", wrong, mode});
      EXPECT_NE(ended.exit_code, 0);
      EXPECT_THAT(ended.err + ended.out,
                  HasSubstr(wrong + " must be an SVG or PNG file of at most 512 KiB that this user "
                                    "can read"));
    }
  }
}

}  // namespace
}  // namespace surtitle
