// What all commands have in common: names of models, progress on a terminal, files of results, and
// errors of the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>

#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/terminal_process.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kModel = "de-en-gma-small";
const std::string kText = std::string(SURTITLE_SOURCE_DIR) + "/tests/data/de-en/tatoeba.test";

using Arguments = std::vector<std::string>;

const std::string kEmptyLine = "\r\033[K";

// Returns what a successful command shows on a terminal.
std::string shown(const Arguments& arguments) {
  const Ended ended = TerminalProcess(arguments).wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  return ended.out;
}

class Usage : public testing::Test {
 protected:
  // All commands that read a model, with this one.
  std::vector<Arguments> with_model(const std::string& model) const {
    const std::string source = folder_.write("source", "Guten Morgen.\nDas ist gut.\n");
    const std::string reference = folder_.write("reference", "Good morning.\nThat is good.\n");
    return {{"evaluate", "--model", model, "--source", source, "--reference", reference},
            {"evaluate", "--sweep", "--policy", "gma:delta=1..2", "--model", model, "--source",
             source, "--reference", reference},
            {"attention", "--model", model, "--json", "Guten Morgen."},
            {"align", "--model", model, "--source", source, "--reference", reference},
            {"inspect", model},
            {"quantize", model, "--output", folder_.path("quantized")},
            {"bench", "--model", model, "--seconds", "0.0001"},
            {"replay", source, "--offline", "--model", model}};
  }

  const TemporaryFolder folder_;
};

TEST_F(Usage, EachCommandFindsAShippedModelByItsName) {
  for (const Arguments& arguments : with_model(kModel)) {
    if (arguments.front() == "bench") continue;  // below, once, as it takes long
    const Ended ended = CommandProcess::run(arguments);
    EXPECT_EQ(ended.exit_code, 0) << arguments.front() << ": " << ended.err;
  }
}

TEST_F(Usage, AMistypedModelIsAnsweredWithTheClosestName) {
  std::vector<Arguments> all = with_model("de-en-gma-smal");
  all.push_back({"segment", "--model", "de-en-gma-smal", "--source", kText + ".de", "--output",
                 folder_.path("new")});
  for (const Arguments& arguments : all) {
    const Ended ended = CommandProcess::run(arguments);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr(": model de-en-gma-smal is neither a folder nor the name of a "
                                     "shipped model; did you mean de-en-gma-small?"))
        << arguments.front();
  }
}

TEST_F(Usage, ATerminalShowsTheProgressUntilTheResult) {
  const std::vector<Arguments> all = with_model(kModel);
  EXPECT_THAT(shown(all[0]),
              AllOf(StartsWith(kEmptyLine + "0/2 sentences" + kEmptyLine),
                    HasSubstr("2/2 sentences" + kEmptyLine + "2 sentences under gma:delta=1")));
  EXPECT_THAT(shown(all[1]),
              AllOf(HasSubstr("1/2 source " + kModel + " gma:delta=1: 2/2 sentences" + kEmptyLine),
                    HasSubstr("2/2 source " + kModel + " gma:delta=2: 0/2 sentences" + kEmptyLine),
                    HasSubstr(kEmptyLine + "| source | ")));
  EXPECT_THAT(shown(all[3]), HasSubstr("2/2 sentences" + kEmptyLine));
}

TEST_F(Usage, BenchShowsItsProgressWithAShippedModel) {
  EXPECT_THAT(shown(with_model(kModel)[6]), HasSubstr(" measurements" + kEmptyLine));
}

TEST_F(Usage, TheNearestValueOfAnOptionIsNamed) {
  const Ended ended = CommandProcess::run({"pipe", "--format", "voks"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(
      ended.err,
      "surtitle pipe: --format: 'voks' is unknown; did you mean vosk? See: surtitle pipe --help\n");
}

TEST_F(Usage, AFileShowsNoProgress) {
  EXPECT_EQ(CommandProcess::run(with_model(kModel).front()).err, "");
}

TEST_F(Usage, PipeOnATerminalReportsThatItWaits) {
  const DaemonProcess daemon;
  TerminalProcess pipe({"pipe", "--url", url_of(daemon)});
  EXPECT_THAT(pipe.read_to("\n"),
              HasSubstr("surtitle pipe: waits for words from this terminal; Ctrl-D on an empty "
                        "line ends the input"));
  pipe.type("Guten Morgen, meine Damen und Herren.\n");
  EXPECT_THAT(pipe.read_to("HERREN."), HasSubstr("GUTEN MORGEN,"));
  pipe.type("\x04");
  EXPECT_EQ(pipe.wait().exit_code, 0);
  EXPECT_EQ(CommandProcess::run({"pipe", "--url", url_of(daemon)}, "Ja.").err, "");
}

TEST_F(Usage, AFailedReplayLeavesNoEmptyFileAndKeepsAnOldOne) {
  const std::string log = folder_.write("talk.txt", "Guten Morgen.\n");
  const std::string report = folder_.write("old.html", "old");
  const Ended ended =
      CommandProcess::run({"replay", log, "--url", "ws://127.0.0.1:1", "--instances",
                           folder_.path("new.log"), "--report", report});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("new.log")));
  EXPECT_EQ(folder_.read("old.html"), "old");
}

TEST_F(Usage, ReplayAndScoreHaveOneDefinitionOfEachLatency) {
  const std::string talk = folder_.write("talk.txt", "Guten Morgen, meine Damen und Herren.\n");
  const std::string reference =
      folder_.write("reference.txt", "A very good morning to you, ladies and gentlemen.\n");
  const std::string log = folder_.path("instances.log");
  const Arguments replay{"replay",      talk,      "--offline",   "--model", kModel,
                         "--reference", reference, "--instances", log};
  Arguments with_json = replay;
  with_json.emplace_back("--json");
  const Ended replayed = CommandProcess::run(with_json);
  ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
  const Ended scored = CommandProcess::run({"score", log, "--json"});
  const auto ours = boost::json::parse(replayed.out).at("runs").at(0);
  const auto theirs = boost::json::parse(scored.out).at("summary");
  for (const auto& [mine, other] : std::vector<std::pair<const char*, const char*>>{
           {"al", "AL"}, {"laal", "LAAL"}, {"ap", "AP"}, {"dal", "DAL"}, {"yaal", "YAAL"}}) {
    EXPECT_NEAR(ours.at(mine).to_number<double>(), theirs.at(other).to_number<double>(), 0.001)
        << other;
  }
  EXPECT_NE(theirs.at("AL"), theirs.at("AL_paper")) << "the reference has another length";
  const Ended table = CommandProcess::run(replay);
  EXPECT_THAT(table.out, Not(HasSubstr(" words\n"))) << "there is one AL in words";
}

TEST_F(Usage, WordsThatACommandDoesNotKnowAreNamedInTheirOrder) {
  const auto error = [](const Arguments& arguments) {
    const Ended ended = CommandProcess::run(arguments);
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_EQ(error({"score", "a.log", "first", "second"}),
            "surtitle score: unexpected word 'first'\n");
  EXPECT_EQ(error({"journal", "lst"}),
            "surtitle journal: unknown command 'lst'; did you mean list?\n");
  EXPECT_EQ(DaemonProcess::run({"serve", "now"}).err, "surtitled: unexpected word 'serve'\n");
}

TEST_F(Usage, TheJournalHasTheDaemonsOptionAndItsOldName) {
  const std::string file = folder_.path("journal.sqlite");
  { const DaemonProcess daemon({"--journal-path", file}); }
  for (const char* option : {"--journal-path", "--journal"}) {
    EXPECT_EQ(CommandProcess::run({"journal", "check", option, file}).out,
              "sound: 0 streams, 0 rows\n");
  }
}

TEST_F(Usage, PoliciesOfStreamsIncludeAuto) {
  for (const char* command : {"pipe", "listen", "replay"}) {
    EXPECT_THAT(CommandProcess::run({command, "--help"}).out, HasSubstr("auto:lag=3")) << command;
  }
}

TEST_F(Usage, TheLogOfATrainingBecomesAPage) {
  const std::string run = folder_.path("de-en");
  std::filesystem::create_directory(run);
  folder_.write("de-en/log.jsonl",
                R"({"update": 4, "epoch": 1, "loss": 5.5, "dev_perplexity": 90.5})"
                "\n");
  const std::string page = folder_.path("page.html");
  const Ended made = CommandProcess::run({"train", run, "--report", page});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(folder_.read("page.html"),
              HasSubstr(R"("run":"de-en","checkpoints":[{"update":4,"epoch":1,"loss":5.5,)"));
  folder_.write("de-en/log.jsonl", "");
  const Ended empty = CommandProcess::run({"train", run, "--report", folder_.path("none.html")});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_EQ(empty.err,
            "surtitle train: " + run + "/log.jsonl: the training has written no checkpoint yet\n");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("none.html")));
}

}  // namespace
}  // namespace surtitle
