#include "daemon/server/announcement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/base/qr_code.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const CalendarSeconds kNow{std::chrono::seconds(1'800'000'000)};

TEST(Announcement, HasTheCodeOfTheSubtitles) {
  const std::string text = announcement({"http://192.0.2.7:8765/", "http://[2001:db8::7]:8765/"},
                                        AccessControl({}), kNow);
  EXPECT_THAT(text,
              AllOf(StartsWith("Subtitles of the channel main: http://192.0.2.7:8765/c/main\n"),
                    HasSubstr(QrCode::make("http://192.0.2.7:8765/c/main")->terminal_text()),
                    HasSubstr("Other URLs of this machine: http://[2001:db8::7]:8765/\n")));
}

TEST(Announcement, InvitesForADayIfTheDaemonHasAKey) {
  const TemporaryFolder folder;
  folder.write("keys", make_link_key());
  const AccessControl access({"", folder.path("keys")});
  const std::string text = announcement({"http://192.0.2.7:8765/"}, access, kNow);
  const std::string begin = "Subtitles of the channel main: ";
  const std::string link = text.substr(begin.size(), text.find('\n') - begin.size());
  EXPECT_THAT(link, StartsWith("http://192.0.2.7:8765/c/main?token=sl.view.1800086400.main."));
  EXPECT_TRUE(access.identify(link.substr(link.find('=') + 1), kNow));
  EXPECT_THAT(text, AllOf(HasSubstr(QrCode::make(link)->terminal_text()),
                          HasSubstr("The code is an invitation until 2027-01-16T08:00:00Z.\n")));
}

TEST(Announcement, SaysThatViewersNeedATokenItCannotMake) {
  const TemporaryFolder folder;
  folder.write("tokens", "");
  const AccessControl access({folder.path("tokens"), ""});
  EXPECT_THAT(announcement({"http://192.0.2.7:8765/"}, access, kNow),
              AllOf(HasSubstr("/c/main\n"), HasSubstr("Viewers also need a token")));
}

TEST(Announcement, HasNoCodeThatPhonesCannotUse) {
  EXPECT_THAT(announcement({}, AccessControl({}), kNow),
              AllOf(StartsWith("Only this machine can open the pages;"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace surtitle
