#include "daemon/config/daemon_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

#include "daemon/streams/options_from_config.h"
#include "tests/on_one_processor.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class DaemonConfigTest : public ::testing::Test {
 protected:
  DaemonConfig read(const std::string& text) const {
    std::ofstream(file_) << text;
    DaemonConfig config;
    read_config(file_, config);
    return config;
  }

  void expect_error(const std::string& text, const std::string& where,
                    const std::string& what) const {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<std::runtime_error>(
                                         AllOf(HasSubstr(file_.string() + where), HasSubstr(what))))
        << text;
  }

  void TearDown() override { std::filesystem::remove(file_); }

  const std::filesystem::path file_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("surtitled_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
       ".yaml");
};

TEST_F(DaemonConfigTest, ReadsSectionsListsAndNulls) {
  const DaemonConfig config = read(
      "port: 0\nmodels: [a, b]\nsentence:\n  silence: 0.5\nlimits: {streams: "
      "3}\nweb:\nallowed_origins:\n");
  EXPECT_EQ(config.port, 0);
  EXPECT_THAT(config.models, ElementsAre("a", "b"));
  EXPECT_EQ(config.sentence_silence, 0.5);
  EXPECT_EQ(config.sentence_words, DaemonConfig().sentence_words);
  EXPECT_EQ(config.streams, 3);
  EXPECT_EQ(config.web, "");
  EXPECT_EQ(read("").port, 8765);
}

TEST_F(DaemonConfigTest, PrintedConfigurationReadsBackUnchanged) {
  const std::string printed = to_yaml(DaemonConfig());
  EXPECT_EQ(to_yaml(read(printed)), printed);
  DaemonConfig other;
  other.models = {"x y", "z"};
  other.allowed_origins = {"*", "null", "https://example.org:8443", "chrome-extension://abc"};
  other.allowed_hosts = {"*", "*.example.org", "subtitles.example.org"};
  other.default_policy = "wait-k:k=3";
  other.sentence_silence = 0.25;
  EXPECT_EQ(to_yaml(read(to_yaml(other))), to_yaml(other));
}

TEST_F(DaemonConfigTest, ErrorsNameTheLineAndWhatIsAllowed) {
  expect_error("port: 1\nprot: 2\n", ":2: ", "unknown field 'prot'; did you mean port?");
  expect_error("sentence:\n  words: 4\n  silent: 2\n",
               ":3: ", "unknown field 'sentence.silent'; did you mean silence?");
  expect_error("port: 70000\n", ":1: ", "field 'port' must be a whole number from 0 to 65535");
  expect_error("port: 1x\n", ":1: ", "field 'port' must be");
  expect_error("port: [1]\n", ":1: ", "one value");
  expect_error("sentence: 3\n", ":1: ", "must hold the fields silence, words");
  expect_error("pages:\n  accent: green\n", ":2: ", "must be a colour such as #0a6b3c");
  expect_error("device: gpu\n", ":1: ", "one of auto, cpu, cuda");
  expect_error("default_policy: greedy\n", ":1: ", "gma");
  expect_error("port: {\n", ":", "not YAML");
  expect_error("port: \"\\\x01\"\n", ":1: ", "not YAML: unknown escape character: ?");
  expect_error("- a\n", ":1: ", "must hold fields");
  expect_error("port: 1 #" + std::string(1 << 20, 'x'), ": ", "larger than 1 MiB");
  expect_error("port: 1\n---\nport: 2\n", ":2: ", "a second document begins here");
  expect_error("allowed_origins: [example.org]\n",
               ":1: ", "must be origins such as https://example.org");
  expect_error("allowed_origins: [https://example.org/page]\n", ":1: ", "must be origins");
  const std::string no_address = "field 'address' must be an IP address such as 127.0.0.1 or ::";
  expect_error("address: localhost\n", ":1: ", no_address);
  expect_error("address: \"::%\\x01\"\n", ":1: ", no_address);
  expect_error("address: ::%\xff\n", ":1: ", no_address);
  expect_error("allowed_hosts: [https://example.org]\n", ":1: ", "must be names such as");
  expect_error("allowed_hosts: [\"*.*\"]\n", ":1: ", "must be names such as");
  expect_error("port: 1\nweb: x\nport: 2\n", ":3: ", "field 'port' is given twice");
  EXPECT_THAT(
      [] {
        DaemonConfig config;
        read_config("/nowhere.yaml", config);
      },
      ThrowsMessage<std::runtime_error>("/nowhere.yaml: cannot be read"));
  EXPECT_THAT(
      [] {
        DaemonConfig config;
        read_config("/", config);
      },
      ThrowsMessage<std::runtime_error>("/: cannot be read, it is a folder"));
}

TEST_F(DaemonConfigTest, OldNameFailsWithTheNewOne) {
  expect_error("limits:\n  idle: 9\n", ":2: ", "limits.idle is now timeouts.idle");
  expect_error("limits: {resume: 9}\n", ":1: ", "limits.resume is now resume.timeout");
  expect_error("hosts: [example.org]\n", ":1: ", "hosts is now allowed_hosts");
  expect_error("drain: finish\n", ":1: ", "drain is now drain.mode");
  EXPECT_EQ(read("drain: {mode: finish, timeout: 3}\n").drain_mode, "finish");
  EXPECT_EQ(find_renamed("limits.idle")->flag_message(), "--limits-idle is now --timeouts-idle");
  EXPECT_EQ(find_renamed("timeouts.idle"), nullptr);
  expect_error("drain_timeout: 3\n", ":1: ", "drain_timeout is now drain.timeout");
  EXPECT_EQ(find_renamed("drain_timeout")->old_flag(), "") << "the flag is the same";
}

TEST_F(DaemonConfigTest, EveryRenamedFieldHasAValidNewName) {
  std::set<std::string> names;
  for (const ConfigField& field : config_fields()) {
    names.insert(field.name);
  }
  for (const RenamedField& renamed : renamed_fields()) {
    EXPECT_TRUE(names.contains(renamed.name)) << renamed.name;
    EXPECT_FALSE(names.contains(renamed.was)) << renamed.was;
  }
}

TEST_F(DaemonConfigTest, EveryFieldHasAFlagOfItsOwn) {
  std::set<std::string> flags;
  for (const ConfigField& field : config_fields()) {
    EXPECT_TRUE(flags.insert(field.flag()).second) << field.flag();
    EXPECT_FALSE(field.help.empty());
  }
  EXPECT_TRUE(flags.contains("--port"));
  EXPECT_TRUE(flags.contains("--sentence-silence"));
}

TEST_F(DaemonConfigTest, LongSentenceMustFitTheQueue) {
  DaemonConfig config;
  config.queued_words = config.sentence_words;
  EXPECT_THROW(check_config(config), std::runtime_error);
}

TEST_F(DaemonConfigTest, JournalKeepsAStreamWhileItsSenderMayReturn) {
  DaemonConfig config;
  config.resume_timeout = 3600;
  config.journal_retention = 1;
  EXPECT_THAT(
      [&] { check_config(config); },
      ::testing::ThrowsMessage<std::runtime_error>(
          "journal.retention must be longer than resume.timeout, or 0 (forever): a sender that "
          "resumes is sent the end of its stream"));
  config.journal_path = "none";
  EXPECT_NO_THROW(check_config(config));
  config.journal_path = "auto";
  config.journal_retention = 1.01;
  EXPECT_NO_THROW(check_config(config));
  config.journal_retention = 0;
  EXPECT_NO_THROW(check_config(config)) << "for ever";
}

TEST_F(DaemonConfigTest, RecognisersAreOriginsThatCannotExtendAHeader) {
  const auto set = [](const std::string& text) {
    const auto& fields = config_fields();
    const auto field = std::find_if(fields.begin(), fields.end(), [](const ConfigField& one) {
      return one.name == "allowed_recognisers";
    });
    DaemonConfig config;
    field->set(config, {text});
    return config.allowed_recognisers;
  };
  for (const char* good : {"ws://192.0.2.7:8000", "wss://asr.example.org", "ws://192.0.2.7:*"}) {
    EXPECT_THAT(set(good), ::testing::ElementsAre(good));
  }
  for (const char* bad : {"ws://", "http://192.0.2.7", "ws://192.0.2.7:8000/asr", "ws://a b",
                          "ws://a;script-src", "ws://a,b", "*"}) {
    EXPECT_THROW(set(bad), std::invalid_argument) << bad;
  }
}

TEST(Exposure, IsAnErrorForAddressesThatOtherMachinesReach) {
  for (const char* address : {"0.0.0.0", "192.0.2.1", "::", "2001:db8::1", "fe80::1%lo", "::%0",
                              "::ffff:0.0.0.0", "0:0:0:0:0:0:0:0"}) {
    EXPECT_THROW(check_exposure(DaemonConfig(), address), std::runtime_error) << address;
  }
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1", "no address"}) {
    EXPECT_NO_THROW(check_exposure(DaemonConfig(), address)) << address;
  }
}

TEST(DefaultAdmissionLoad, IsLowerIfModelsAndNetworkShareAProcessor) {
  EXPECT_EQ(default_admission_load(1), 0.4);
  EXPECT_EQ(default_admission_load(2), 0.65);
  EXPECT_EQ(default_admission_load(64), 0.65);
  on_one_processor([] { EXPECT_EQ(server_options(DaemonConfig()).admission.max_load, 0.4); });
  DaemonConfig config;
  config.admission_max_load = 0.7;
  EXPECT_EQ(admission_options(config).max_load, 0.7);
}

// A file that was written on one machine is valid on another.
TEST(DefaultAdmissionLoad, IsNotWrittenIntoAFile) {
  EXPECT_THAT(to_yaml(DaemonConfig()), HasSubstr("  max_load: 0\n"));
}

}  // namespace
}  // namespace surtitle
