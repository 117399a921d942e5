// Glossaries of streams and channels. The scripted model writes its source in capitals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/daemon/support/crashable_daemon.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

protocol::Start with_glossary(protocol::Glossary glossary,
                              const std::optional<std::string>& channel = {}) {
  protocol::Start start = start_message(channel);
  start.glossary = std::move(glossary);
  return start;
}

std::string first_warning(const boost::json::object& message) {
  const boost::json::array& warnings = message.at("warnings").as_array();
  return warnings.empty() ? "" : std::string(warnings.front().as_string());
}

TEST(GlossaryDaemon, TranslatesTheTermsOfAStreamAndCountsThem) {
  const DaemonProcess daemon;
  Begun begun =
      begin_stream(daemon.port(), with_glossary({{"Haus", "house"}, {"See", "***"}}, "main"));
  TestClient viewer(daemon.port(), "/v1/channels/main");
  viewer.read_until("ready");
  EXPECT_EQ(translate(begun.client, 1, "Ein Haus am See."), "EIN house AM ***.");
  EXPECT_EQ(text_of(viewer.read_until("source"), "text"), "Ein Haus am ***.");
  EXPECT_EQ(metric(daemon.port(), "surtitle_glossary_terms_total{outcome=\"written\"}"), 2);
  EXPECT_EQ(metric(daemon.port(), "surtitle_glossary_terms_total{outcome=\"missing\"}"), 0);
  const HttpAnswer transcript =
      ask_http(daemon.port(), "GET /v1/channels/main/transcript.txt HTTP/1.1");
  EXPECT_THAT(transcript.body, testing::Not(HasSubstr("See")));
}

TEST(GlossaryDaemon, ChangesWithTheNextSentenceAndSurvivesACrash) {
  CrashableDaemon daemon({});
  std::optional<Begun> begun = begin_stream(daemon.port(), with_glossary({{"Haus", "house"}}));
  EXPECT_EQ(translate(begun->client, 1, "Ein Haus."), "EIN house.");
  send(begun->client, protocol::Source{2, "Das Haus", {}});
  protocol::Configure configure;
  configure.glossary = protocol::Glossary{{"Haus", "building"}, {"Haus am See", "lake house"}};
  send(begun->client, configure);
  EXPECT_EQ(first_warning(begun->client.read_until("policy")), "");
  send(begun->client, protocol::Source{3, "steht. Das Haus am", {}});
  while (begun->client.read_until("ack").at("seq").as_int64() != 3) {
  }
  protocol::Resume resume = begun->resume;
  resume.seq = 3;
  daemon.kill();
  begun.reset();
  daemon.come_back();
  TestClient client = come_back(daemon.port(), resume);
  client.read_until("ready");
  send(client, protocol::Source{4, "See und das Haus.", {}});
  std::string target;
  while (!target.starts_with("DAS lake")) {
    target = text_of(client.read_until("sentence"), "target");
    EXPECT_TRUE(target == "EIN house." || target == "DAS house STEHT." ||
                target == "DAS lake house UND DAS building.")
        << target;
  }
}

TEST(GlossaryDaemon, GivesATrackOfAnotherLanguageNamesAndMasksOnly) {
  const DaemonProcess daemon({"--models", "en,de-fr"});
  protocol::Start start = with_glossary({{"Haus", "house"}, {"Surtitle", "Surtitle"}});
  start.tracks = {{"fr", "fr", {}, {}},
                  {"own", "fr", {}, {}, protocol::Glossary{{"Haus", "maison"}}}};
  Begun begun = begin_stream(daemon.port(), start);
  send(begun.client, protocol::Source{1, "Ein Haus Surtitle.", {}});
  std::map<std::string, std::string> targets;
  while (targets.size() < 3) {
    const boost::json::object sentence = begun.client.read_until("sentence");
    targets[sentence.contains("track") ? text_of(sentence, "track") : ""] =
        text_of(sentence, "target");
  }
  EXPECT_EQ(targets[""], "EIN house Surtitle.");
  EXPECT_EQ(targets["fr"], "EIN HAUS Surtitle.");
  EXPECT_EQ(targets["own"], "EIN maison SURTITLE.");
}

TEST(GlossaryDaemon, WarnsOfEntriesThatHaveNoEffect) {
  const DaemonProcess daemon({"--models", "blank"});
  TestClient client(daemon.port(), "/v1/stream");
  send(client, with_glossary({{"Haus", "house"}}));
  EXPECT_EQ(first_warning(client.read_until("ready")),
            "glossary: model blank has no placeholders; a term is only replaced if the model "
            "copies it");
  EXPECT_EQ(translate(client, 1, "Ein Haus Haus."), "EIN house house.");
}

TEST(GlossaryDaemon, RejectsATermThatItCannotUse) {
  const DaemonProcess daemon;
  TestClient client(daemon.port(), "/v1/stream");
  send(client, with_glossary({{"streng geheim", "***"}}));
  EXPECT_THAT(text_of(client.read_until("error"), "message"),
              HasSubstr("entry 1 must mask one word, not 'streng geheim'"));
}

TEST(GlossaryDaemon, ReadsTheFilesOfAllStreamsAndOfChannels) {
  const TemporaryFolder folder;
  const std::string all = folder.write("all.txt", "Haus = house\nSee = lake\n");
  const std::string hall = folder.write("hall.csv", "source,target\nHaus,building\n");
  DaemonProcess daemon({"--glossary-file", all, "--glossary-channels", "hall=" + hall});
  const auto translate_on = [&](const std::string& channel) {
    Begun begun = begin_stream(daemon.port(), with_glossary({{"am", "on the"}}, channel));
    const std::string target = translate(begun.client, 1, "Haus am See.");
    send(begun.client, protocol::Finish());
    begun.client.read_to_end();
    return target;
  };
  EXPECT_EQ(translate_on("hall"), "Building on the lake.");
  EXPECT_EQ(translate_on("room"), "House on the lake.");
  folder.write("all.txt", "See = sea\n");
  daemon.signal(SIGHUP);
  while (metric(daemon.port(), "surtitle_reloads_total{result=\"ok\"}") < 3) {
  }
  EXPECT_EQ(translate_on("hall"), "Building on the sea.");
  folder.write("all.txt", "=\nSee =\n");
  daemon.signal(SIGHUP);
  while (metric(daemon.port(), "surtitle_reloads_total{result=\"failed\"}") == 0) {
  }
  EXPECT_EQ(translate_on("hall"), "Building on the sea.");
}

TEST(GlossaryDaemon, AWrongFileFailsTheStart) {
  const TemporaryFolder folder;
  const std::string file = folder.write("terms", "Haus\n= house\n");
  const Ended ended = DaemonProcess::run({"--port", "0", "--models", "a", "--web",
                                          SURTITLE_SOURCE_DIR "/tests/daemon/support/web",
                                          "--log-level", "error", "--glossary-file", file});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr(file + ":2: the entry must have a term of 1 to 8 words"));
}

}  // namespace
}  // namespace surtitle
