#include "daemon/access/access_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const CalendarSeconds kNow = *parse_time("2026-11-22T09:00:00Z");

class AccessControlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("surtitle_access_" + std::string(test->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }

  std::string error_of(const AccessFiles& files) const {
    try {
      AccessControl access(files);
      return "none";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::filesystem::path folder_;
};

// Returns the grant's name, roles and channels, or the error's status and message.
std::string tell(const AccessControl& access, std::optional<std::string> token,
                 CalendarSeconds now = kNow) {
  const auto known = access.identify(token, now);
  if (known) {
    return known->name + " " + known->roles.text() + " " + known->channels;
  }
  return std::to_string(known.error().status) + " " + known.error().message;
}

TEST_F(AccessControlTest, GrantsEverythingWithoutTokensAndKeys) {
  const AccessControl access({});
  EXPECT_FALSE(access.auth_enabled());
  EXPECT_EQ(tell(access, std::nullopt), "anybody admin *");
  EXPECT_EQ(tell(access, "st.whatever.x"), "anybody admin *");
}

TEST_F(AccessControlTest, KnownTokenHasItsRoles) {
  const NewToken stage = make_token({"stage", Roles::parse("view,send"), "hall-*,main"});
  const NewToken boss = make_token({"boss", Roles::parse("admin")});
  const AccessControl access(
      {write("tokens", "# ours\n\n" + stage.line + "\r\n  " + boss.line), ""});
  EXPECT_TRUE(access.auth_enabled());
  EXPECT_EQ(tell(access, stage.token), "stage send,view hall-*,main");
  EXPECT_EQ(tell(access, boss.token), "boss admin *");
  EXPECT_THAT(stage.line, Not(HasSubstr(stage.token.substr(stage.token.rfind('.')))));
}

TEST_F(AccessControlTest, RejectsMalformedAndForgedTokens) {
  const NewToken made = make_token({"stage", Roles::parse("send")});
  const NewToken other = make_token({"other", Roles::parse("admin")});
  const AccessControl access({write("tokens", made.line + "\n" + other.line + "\n"), ""});
  const std::string secret = made.token.substr(made.token.rfind('.') + 1);
  std::string last = made.token;
  last.back() = last.back() == 'A' ? 'B' : 'A';
  for (const std::string& wrong : std::vector<std::string>{
           "", secret, "st." + secret, "st..", "st.stage.", "st.stage", made.token + "x",
           made.token + ".", " " + made.token, last, "st.other." + secret, made.line,
           made.line.substr(made.line.find(' ') + 1)}) {
    EXPECT_THAT(tell(access, wrong), HasSubstr("401 The token is not valid for this daemon"))
        << wrong;
  }
  EXPECT_THAT(tell(access, std::nullopt), HasSubstr("401 This daemon requires a token"));
}

TEST_F(AccessControlTest, TokenExpires) {
  const NewToken made =
      make_token({"stage", Roles::parse("send"), "*", *parse_time("2026-11-22T09:00:01Z")});
  const AccessControl access({write("tokens", made.line), ""});
  EXPECT_EQ(tell(access, made.token), "stage send *");
  EXPECT_EQ(tell(access, made.token, kNow + std::chrono::seconds(1)),
            "401 The token 'stage' expired at 2026-11-22T09:00:01Z; ask for a new one.");
}

TEST_F(AccessControlTest, LinkGrantsOneRoleOnOneChannelUntilItExpires) {
  const std::string old_key = make_link_key();
  const std::string new_key = make_link_key();
  const auto signed_by = [&](const std::string& key, const ChannelLink& link) {
    return LinkKeys::read(write("signing", key)).sign(link);
  };
  const ChannelLink link{Role::kView, "hall-2.a", kNow + std::chrono::hours(1)};
  const std::string by_old = signed_by(old_key, link);
  const AccessControl access({"", write("keys", "# now\n" + new_key + "\n" + old_key + "\n")});
  EXPECT_EQ(tell(access, signed_by(new_key, link)), "link-view-hall-2.a view hall-2.a");
  EXPECT_EQ(tell(access, by_old), "link-view-hall-2.a view hall-2.a")
      << "the previous key still counts";
  EXPECT_EQ(tell(access, by_old, link.expires),
            "401 The token 'link-view-hall-2.a' expired at 2026-11-22T10:00:00Z; ask for a new "
            "one.");
  for (const auto& [from, to] : {std::pair("view", "send"), std::pair("hall-2", "hall-3"),
                                 std::pair(".17", ".99"), std::pair("sl.", "st.")}) {
    std::string forged = by_old;
    forged.replace(forged.find(from), std::string(from).size(), to);
    EXPECT_THAT(tell(access, forged), HasSubstr("401 The token is not valid")) << forged;
  }
  EXPECT_THAT(tell(access, signed_by(make_link_key(), link)),
              HasSubstr("401 The token is not valid"));
  EXPECT_THAT(tell(access, "sl.view.1.main."), HasSubstr("401"));
  EXPECT_THAT(tell(access, "sl."), HasSubstr("401"));
}

TEST_F(AccessControlTest, LinkNeverGrantsAdministration) {
  const std::string key = write("keys", make_link_key());
  const std::string link =
      LinkKeys::read(key).sign({Role::kAdmin, "main", kNow + std::chrono::hours(1)});
  EXPECT_THAT(tell(AccessControl({"", key}), link), HasSubstr("401"));
}

TEST_F(AccessControlTest, FailedReloadKeepsThePreviousFiles) {
  const NewToken first = make_token({"first", Roles::parse("send")});
  const NewToken second = make_token({"second", Roles::parse("view")});
  const std::string tokens = write("tokens", first.line);
  const std::string keys = write("keys", make_link_key());
  AccessControl access({tokens, keys});
  write("tokens", second.line);
  access.reload();
  EXPECT_EQ(tell(access, second.token), "second view *");
  EXPECT_THAT(tell(access, first.token), HasSubstr("401"));
  write("tokens", first.line);
  write("keys", "nonsense");
  EXPECT_THROW(access.reload(), std::runtime_error);
  EXPECT_EQ(tell(access, second.token), "second view *")
      << "either both files are replaced or none";
  std::filesystem::remove(tokens);
  EXPECT_THROW(access.reload(), std::runtime_error);
  EXPECT_EQ(tell(access, second.token), "second view *");
}

TEST_F(AccessControlTest, ErrorsNameFileLineAndField) {
  const std::string good = make_token({"a", Roles::parse("send")}).line;
  const auto error = [&](const std::string& content) {
    const std::string file = write("tokens", content);
    return error_of({file, ""}).substr(file.size());
  };
  EXPECT_EQ(error("# none\nstage send\n"), ":2: a line must be NAME ROLES hmac-sha256:SALT:DIGEST");
  EXPECT_THAT(error("a.b send x"), HasSubstr(":1: the name 'a.b' must have 1 to 64"));
  EXPECT_THAT(error("a sent x"), HasSubstr("the roles 'sent' must be send, view or admin"));
  EXPECT_THAT(error("a send x"), HasSubstr("the third field must be hmac-sha256:SALT:DIGEST"));
  EXPECT_THAT(error(good.substr(0, good.size() - 2)), HasSubstr("the third field must be"));
  EXPECT_THAT(error(good + " channels=a/b"), HasSubstr("'channels=a/b' must be channels=NAME"));
  EXPECT_THAT(error(good + " expires=2026-02-31T00:00:00Z"), HasSubstr("must be channels=NAME"));
  EXPECT_THAT(error(good + "\n" + good), HasSubstr(":2: the name 'a' is given twice"));
  EXPECT_EQ(error_of({folder_ / "none", ""}),
            (folder_ / "none").string() + ": the file cannot be read");
  EXPECT_EQ(error_of({folder_, ""}), folder_.string() + ": the file cannot be read");
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string is_pipe = pipe + ": is a pipe or a device; must be a regular file";
  EXPECT_EQ(error_of({pipe, ""}), is_pipe);
  EXPECT_EQ(error_of({"", pipe}), is_pipe);
  const std::string keys = write("keys", "# nothing\n");
  EXPECT_EQ(error_of({"", keys}), keys + ": has no key; make one with 'surtitle token key'");
}

TEST(Grant, AppliesToChannelsThatMatchItsPattern) {
  const auto may = [](const std::string& channels, const std::string& channel) {
    return Grant{"a", Roles(), channels}.may_use(channel);
  };
  EXPECT_TRUE(may("*", "main"));
  EXPECT_TRUE(may("main", "main"));
  EXPECT_FALSE(may("main", "main2"));
  EXPECT_FALSE(may("main", "mai"));
  EXPECT_TRUE(may("hall-*", "hall-"));
  EXPECT_TRUE(may("a,hall-*-en", "hall-2-de-en"));
  EXPECT_FALSE(may("a,hall-*-en", "hall-2-de"));
  EXPECT_FALSE(may("hall-*", "my-hall-2"));
  EXPECT_TRUE(may("*a*a*", "banana"));
  EXPECT_FALSE(may("*ab*ab", "abb"));
  EXPECT_FALSE(may(std::string(60, '*') + "b", std::string(64, 'a')));
}

TEST(Grant, AdminIncludesAllRolesAndSendIncludesView) {
  const auto has = [](const char* roles, Role role) { return Roles::parse(roles).has(role); };
  EXPECT_TRUE(has("send", Role::kSend));
  EXPECT_TRUE(has("send", Role::kView));
  EXPECT_FALSE(has("view", Role::kSend));
  EXPECT_FALSE(has("view,send", Role::kAdmin));
  EXPECT_TRUE(has("admin", Role::kSend));
  EXPECT_TRUE(has("admin", Role::kView));
  for (const char* wrong : {"", "send,", ",send", "Send", "send view"}) {
    EXPECT_THROW(Roles::parse(wrong), std::invalid_argument) << wrong;
  }
}

TEST(AccessRequirement, RequiresRoleAndChannel) {
  const Grant grant{"stage", Roles::parse("send"), "hall-*"};
  const auto refusal = [&](const AccessRequirement& requirement) {
    const Result<void> met = check_access(requirement, grant);
    return met ? "none" : std::to_string(met.error().status) + " " + met.error().message;
  };
  using What = AccessRequirement::What;
  EXPECT_EQ(refusal({What::kNothing}), "none");
  EXPECT_EQ(refusal({What::kAnyRole}), "none");
  EXPECT_EQ(refusal({What::kRole, Role::kSend}), "none");
  EXPECT_EQ(refusal({What::kRole, Role::kSend, "hall-2"}), "none");
  EXPECT_EQ(refusal({What::kRole, Role::kSend, "main"}),
            "403 The token 'stage' is not valid for the channel 'main'; it is valid for hall-*.");
  EXPECT_EQ(refusal({What::kRole, Role::kSend, std::nullopt, true}),
            "403 The token 'stage' must be valid for all channels; it is valid for hall-*.");
  EXPECT_EQ(refusal({What::kRole, Role::kAdmin}),
            "403 The token 'stage' lacks the required role admin; it has send.");
}

}  // namespace
}  // namespace surtitle
