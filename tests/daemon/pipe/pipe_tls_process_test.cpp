// `surtitle pipe` and `replay` with a daemon under TLS that requires a token.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "tests/daemon/access/certificate.h"
#include "tests/daemon/support/command_process.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PipeTls : public ::testing::Test {
 protected:
  std::string url(const std::string& host = "127.0.0.1") const {
    return "wss://" + host + ":" + std::to_string(daemon_.port());
  }

  Ended pipe(const std::string& address, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"pipe", "--url", address};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return CommandProcess::run(arguments, "Guten Tag.\n");
  }

  const TemporaryFolder folder_;
  const Certificate certificate_ = make_certificate("daemon");
  const NewToken token_ = make_token({"pipe", Roles::parse("send")});
  const std::string ca_ = folder_.write("certificate.pem", certificate_.certificate);
  const std::string token_file_ = folder_.write("token", token_.token + "\n");
  const DaemonProcess daemon_{{"--tls-certificate", ca_, "--tls-key",
                               folder_.write("key.pem", certificate_.key), "--access-tokens",
                               folder_.write("tokens", token_.line)}};
};

TEST_F(PipeTls, ConnectsToATrustedServer) {
  for (const std::string& address : {url(), url("localhost")}) {
    const Ended ended = pipe(address, {"--ca", ca_, "--token-file", token_file_});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "GUTEN TAG.\n");
  }
  const Ended in_address = pipe(url() + "/?token=" + token_.token, {"--ca", ca_});
  EXPECT_EQ(in_address.out, "GUTEN TAG.\n") << in_address.err;
  const std::string talk = folder_.write("talk.txt", "Guten Tag.\n");
  const Ended replay =
      CommandProcess::run({"replay", talk, "--url", url(), "--ca", ca_, "--token-file", token_file_,
                           "--speed", "max", "--print"});
  EXPECT_EQ(replay.exit_code, 0) << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("GUTEN TAG."));
}

TEST_F(PipeTls, SaysWhyATokenFileIsOfNoUse) {
  const auto failure = [&](const std::string& file) {
    const Ended ended = pipe(url(), {"--ca", ca_, "--token-file", file});
    EXPECT_EQ(ended.exit_code, 1);
    return ended.err;
  };
  const std::string empty = folder_.write("empty", "\n");
  EXPECT_THAT(failure(empty), HasSubstr("--token-file '" + empty + "' has no token"));
  EXPECT_THAT(failure(empty + ".no"),
              HasSubstr("cannot read --token-file '" + empty + ".no': No such file or directory"));
  const std::string folder = std::filesystem::path(empty).parent_path().string();
  EXPECT_THAT(failure(folder),
              HasSubstr("cannot read --token-file '" + folder + "': Is a directory"));
}

TEST_F(PipeTls, RejectsUntrustedServers) {
  const auto failure = [&](const std::string& address, std::vector<std::string> more) {
    more.insert(more.end(), {"--token-file", token_file_});
    const Ended ended = pipe(address, more);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, Not(HasSubstr(token_.token)));
    return ended.err;
  };
  EXPECT_THAT(failure(url(), {}), AllOf(HasSubstr("TLS handshake with " + url() + " failed"),
                                        HasSubstr("--ca FILE names trusted authorities")));
  const std::string other = folder_.write("other.pem", make_certificate("other").certificate);
  EXPECT_THAT(failure(url(), {"--ca", other}),
              HasSubstr("TLS handshake with " + url() + " failed"));
  const Certificate elsewhere = make_certificate("elsewhere", "DNS:elsewhere.example");
  const std::string theirs = folder_.write("theirs.pem", elsewhere.certificate);
  const DaemonProcess daemon(
      {"--tls-certificate", theirs, "--tls-key", folder_.write("their-key.pem", elsewhere.key)});
  const std::string port = std::to_string(daemon.port());
  EXPECT_THAT(failure("wss://127.0.0.1:" + port, {"--ca", theirs}),
              HasSubstr("IP address mismatch"));
  EXPECT_THAT(failure("wss://localhost:" + port, {"--ca", theirs}), HasSubstr("hostname mismatch"));
  EXPECT_THAT(failure(url(), {"--ca", "/nowhere.pem"}),
              HasSubstr("--ca /nowhere.pem must be a file with certificates"));
}

// Any server that sends messages will do: here, a channel of a daemon.
TEST_F(PipeTls, ReadsTheServerOfARecogniser) {
  const DaemonProcess server(
      {"--tls-certificate", ca_, "--tls-key", folder_.write("its-key.pem", certificate_.key)});
  const std::string from = "wss://127.0.0.1:" + std::to_string(server.port()) + "/v1/channels/main";
  const DaemonProcess daemon;
  std::vector<std::string> arguments{"pipe", "--url",    url_of(daemon), "--from",
                                     from,   "--format", "text"};
  const Ended untrusted = CommandProcess::run(arguments);
  EXPECT_THAT(untrusted.err, HasSubstr("TLS handshake with " + from + " failed"));
  EXPECT_EQ(untrusted.exit_code, 1);
  arguments.insert(arguments.end(), {"--ca", ca_});
  CommandProcess pipe(arguments);
  EXPECT_EQ(pipe.read(7), "\"TYPE\":");
  pipe.signal(SIGINT);
  EXPECT_EQ(pipe.wait().exit_code, 0);
}

TEST_F(PipeTls, ReportsARejectedToken) {
  const Ended none = pipe(url(), {"--ca", ca_});
  EXPECT_THAT(none.err, HasSubstr("the server answered 401 Unauthorized"));
  const Ended wrong = pipe(url() + "/?token=st.pipe.secret", {"--ca", ca_});
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("401"), Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace surtitle
