// `surtitle pipe` as a process against a real daemon on a scripted translator.
#include <gmock/gmock.h>

#include <algorithm>
#include <boost/json.hpp>
#include <csignal>
#include <sstream>

#include "tests/daemon/support/command_process.h"
#include "tests/model/support/run_program.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> pipe_to(const DaemonProcess& daemon,
                                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"pipe", "--url", url_of(daemon)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Pipe, TranslatesTextSentenceBySentence) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      pipe_to(daemon), "Guten Morgen. Wie\ngeht es\n\nuns?\nbis zuletzt ohne Punkt");
  EXPECT_EQ(ended.out, "GUTEN MORGEN.\nWIE GEHT ES\nUNS?\nBIS ZULETZT OHNE PUNKT\n");
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, ReportsWordsThatTheModelLeftOut) {
  const DaemonProcess daemon;
  const Ended ended =
      CommandProcess::run(pipe_to(daemon), "Eins xx-mute drei vier fünf. Ja. xx-mute sieben.");
  EXPECT_EQ(ended.out, "EINS\nJA.\n\n");
  EXPECT_EQ(ended.err, "surtitle pipe: the model left out 6 words\n");
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, TranslatesTheTermsOfAGlossary) {
  const DaemonProcess daemon;
  const TemporaryFolder folder;
  const std::string file = folder.write("terms.csv", "Haus,house\r\nSurtitle\r\n");
  const Ended ended =
      CommandProcess::run(pipe_to(daemon, {"--glossary", file}), "Ein Haus. Surtitle hilft.");
  EXPECT_EQ(ended.out, "EIN house.\nSurtitle HILFT.\n");
  EXPECT_EQ(ended.err, "");
  const std::string wrong = folder.write("wrong", "Haus =\n");
  EXPECT_THAT(CommandProcess::run(pipe_to(daemon, {"--glossary", wrong}), "Ja.").err,
              HasSubstr(wrong + ":1: the entry must have a translation of 'Haus'"));
  EXPECT_THAT(CommandProcess::run(pipe_to(daemon, {"--glossary", folder.path("none")}), "Ja.").err,
              HasSubstr("none: the glossary cannot be read"));
}

TEST(Pipe, AcceptsThePathOfTheProtocol) {
  const DaemonProcess daemon;
  for (const char* path : {"/v1/stream", "/v1/stream/"}) {
    const Ended ended = CommandProcess::run({"pipe", "--url", url_of(daemon) + path}, "Ja.");
    EXPECT_EQ(ended.out, "JA.\n");
    EXPECT_EQ(ended.err, "");
  }
}

TEST(Pipe, AcceptsLanguagesInAnySpelling) {
  const DaemonProcess daemon;
  const Ended ended =
      CommandProcess::run(pipe_to(daemon, {"--source", "de_AT", "--target", "EN"}), "Ja.");
  EXPECT_EQ(ended.out, "JA.\n");
}

TEST(Pipe, FailsIfItsTranslationCannotBeWritten) {
  const DaemonProcess daemon;
  const std::string program = std::string(SURTITLE_BINARY_DIR) + "/surtitle";
  for (const char* output : {"text", "jsonl", "simulstreaming"}) {
    const ProgramEnd full =
        run_program("/bin/sh", {"-c", "echo 'Eins zwei.' | " + program + " pipe --url " +
                                          url_of(daemon) + " --output " + output + " >/dev/full"});
    EXPECT_EQ(full.exit_code, 1) << output;
    EXPECT_EQ(full.err, "surtitle pipe: cannot write the translation: No space left on device\n");
  }
  const ProgramEnd no_reader =
      run_program("/bin/sh", {"-c", "(echo Eins zwei.; echo drei.) | " + program + " pipe --url " +
                                        url_of(daemon) + " | true"});
  EXPECT_EQ(no_reader.err, "") << "a reader that ends is no error";
}

TEST(Pipe, WritesNothingForNoInput) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(pipe_to(daemon));
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, WritesTheTranslationOfAWordBeforeTheNextOneArrives) {
  const DaemonProcess daemon;
  CommandProcess pipe(pipe_to(daemon));
  pipe.write("Guten ");
  EXPECT_EQ(pipe.read(5), "GUTEN");
  pipe.write("Mor");
  pipe.write("gen ");
  EXPECT_EQ(pipe.read(7), " MORGEN");
  pipe.write("alle");
  const Ended ended = pipe.wait();
  EXPECT_EQ(ended.out, " ALLE\n");
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, PrintsTheServersMessagesAsJsonLines) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      pipe_to(daemon, {"--format", "jsonl"}),
      "{\"text\": \"Das ist\", \"time\": 0.5}\n{\"text\": \"gut so.\", \"time\": 1}\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::istringstream lines(ended.out);
  std::string written;
  std::string sentence;
  for (std::string line; std::getline(lines, line);) {
    const boost::json::value message = boost::json::parse(line);
    if (message.at("type") == "write") {
      written += message.at("text").as_string().c_str();
    } else {
      EXPECT_EQ(message.at("type"), "sentence");
      sentence = message.at("target").as_string().c_str();
    }
  }
  EXPECT_EQ(written, "DAS IST GUT SO.");
  EXPECT_EQ(sentence, written);
}

TEST(Pipe, TranslatesSeveralTracks) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      pipe_to(daemon,
              {"--track", "second=policy=wait-k:k=2", "--track", "third=target=en,model=scripted"}),
      "Guten Morgen. Wie geht es uns?");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::istringstream lines(ended.out);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    all.push_back(line);
  }
  EXPECT_THAT(all, ::testing::UnorderedElementsAre("GUTEN MORGEN.", "[second] GUTEN MORGEN.",
                                                   "[third] GUTEN MORGEN.", "WIE GEHT ES UNS?",
                                                   "[second] WIE GEHT ES UNS?",
                                                   "[third] WIE GEHT ES UNS?"));
  const Ended rows = CommandProcess::run(
      pipe_to(daemon, {"--track", "second=policy=wait-k:k=2", "--output", "simulstreaming"}),
      "Eins.");
  const Ended one = CommandProcess::run(pipe_to(daemon, {"--output", "simulstreaming"}), "Eins.");
  EXPECT_EQ(std::count(rows.out.begin(), rows.out.end(), '\n'),
            std::count(one.out.begin(), one.out.end(), '\n'))
      << "rows have no place for a track";
}

TEST(Pipe, RefusesTracksThatAreNotDescribed) {
  for (const char* track : {"", "second", "second=", "a b=target=fr", "x=colour=red",
                            "x=target=", "x=target=fr,target=en", "x=policy"}) {
    const Ended ended = CommandProcess::run({"pipe", "--track", track}, "Ja.");
    EXPECT_EQ(ended.exit_code, 2) << track;
    EXPECT_THAT(ended.err, HasSubstr("must be NAME=KEY=VALUE[,KEY=VALUE]")) << track;
  }
}

TEST(Pipe, RequestsAttentionAndPrintsIt) {
  const DaemonProcess daemon;
  const Ended ended =
      CommandProcess::run(pipe_to(daemon, {"--attention", "--output", "jsonl"}), "Ja.\n");
  std::istringstream lines(ended.out);
  std::vector<std::string> types;
  for (std::string line; std::getline(lines, line);) {
    types.emplace_back(boost::json::parse(line).at("type").as_string());
  }
  EXPECT_THAT(types, testing::ElementsAre("write", "attention", "attention", "sentence"));
  EXPECT_EQ(CommandProcess::run(pipe_to(daemon, {"--attention"}), "Ja.\n").out, "JA.\n");
}

TEST(Pipe, AcceptsHypothesesOfARecogniser) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      pipe_to(daemon, {"--format", "jsonl", "--output", "text"}),
      "{\"text\": \"guten\", \"final\": false}\n{\"text\": \"guten mor\", \"final\": false}\n"
      "{\"text\": \"guten morgen alle\", \"final\": true}\n");
  EXPECT_EQ(ended.out, "GUTEN MORGEN ALLE\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST(Pipe, SkipsAnInvalidLineAndNamesIt) {
  const DaemonProcess daemon;
  const Ended ended =
      CommandProcess::run(pipe_to(daemon, {"--format", "jsonl", "--output", "text"}),
                          "{\"text\": \"gut\"}\n{\"text\": 7}\n{\"text\": \"so\"}\n");
  EXPECT_EQ(ended.out, "GUT SO\n");
  EXPECT_THAT(ended.err, StartsWith("surtitle pipe: standard input:2: field text must be text"));
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, ReplacesBytesThatAreNotUtf8AndReportsThem) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(pipe_to(daemon), "grün\xFF\n");
  EXPECT_EQ(ended.out, "GRüN\n") << "the model gets no replacement character";
  EXPECT_THAT(ended.err, HasSubstr("has invalid UTF-8"));
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, ReadsWindows1252WithOneNotice) {
  const DaemonProcess daemon;
  const Ended ended =
      CommandProcess::run(pipe_to(daemon), "Sch\xF6ne Gr\xFC\xDF\x65.\nSo \x84gro\xDF\x93.\n");
  EXPECT_EQ(ended.out, "SCHöNE GRüßE.\nSO „GROß“.\n");
  EXPECT_EQ(ended.err, "surtitle pipe: standard input is not UTF-8 and is read as Windows-1252\n");
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, PrintsWarningsOfTheServer) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(pipe_to(daemon, {"--policy", "wait-k:k=3"}), "gut");
  EXPECT_EQ(ended.out, "GUT\n");
  EXPECT_EQ(ended.err, "surtitle pipe: policy wait-k: model scripted was trained for gma\n");
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, PrintsErrorsOfTheServerInOneLine) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(pipe_to(daemon, {"--policy", "best"}), "gut");
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, StartsWith("surtitle pipe: unknown policy 'best'"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
  EXPECT_EQ(ended.exit_code, 1);
}

TEST(Pipe, FailsIfItsInputIsClosed) {
  const DaemonProcess daemon;
  CommandProcess pipe(pipe_to(daemon), CommandProcess::Input::kClosed);
  const Ended ended = pipe.wait();
  EXPECT_EQ(ended.err, "surtitle pipe: standard input is closed\n");
  EXPECT_EQ(ended.exit_code, 1);
}

TEST(Pipe, FailsIfNoServerListens) {
  std::string url;
  {
    const DaemonProcess gone;
    url = url_of(gone);
  }
  const Ended ended = CommandProcess::run({"pipe", "--url", url}, "gut");
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_EQ(ended.err, "surtitle pipe: cannot connect to " + url +
                           ": Connection refused; is surtitled running there?\n");
  EXPECT_EQ(ended.exit_code, 1);
}

TEST(Pipe, FailsIfAServerWithoutAJournalDies) {
  const DaemonProcess daemon({"--journal-path", "none"});
  CommandProcess pipe(pipe_to(daemon));
  pipe.write("Guten ");
  ASSERT_EQ(pipe.read(5), "GUTEN");
  daemon.signal(SIGKILL);
  EXPECT_EQ(pipe.read(10), "\n");  // to its end, though its input is still open
  const Ended ended = pipe.wait();
  EXPECT_THAT(ended.err,
              StartsWith("surtitle pipe: the connection to " + url_of(daemon) + " was lost: "));
  EXPECT_EQ(ended.exit_code, 1);
}

TEST(Pipe, TranslatesItsSentenceWhenTheServerShutsDown) {
  DaemonProcess daemon;
  CommandProcess pipe(pipe_to(daemon, {"--policy", "full-sentence"}));
  pipe.write("Guten {} Morgen. Und ");
  ASSERT_EQ(pipe.read(13), "GUTEN MORGEN.") << "braces are not translated";
  daemon.signal(SIGTERM);
  EXPECT_EQ(pipe.read(100), "\nUND\n");
  const Ended ended = pipe.wait();
  EXPECT_THAT(ended.err, HasSubstr("before the end of the input: it is shutting down"));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST(Pipe, InterruptEndsItsInput) {
  const DaemonProcess daemon;
  CommandProcess pipe(pipe_to(daemon, {"--policy", "wait-k:k=2"}));
  pipe.write("Guten Morgen alle ");
  ASSERT_EQ(pipe.read(5), "GUTEN");
  pipe.signal(SIGINT);
  EXPECT_EQ(pipe.read(100), " MORGEN ALLE\n");
  EXPECT_EQ(pipe.wait().exit_code, 0);
}

TEST(Pipe, EndsWithoutAnErrorIfItsOutputIsClosed) {
  const DaemonProcess daemon;
  CommandProcess pipe(pipe_to(daemon));
  pipe.write("Guten ");
  ASSERT_EQ(pipe.read(5), "GUTEN");
  pipe.close_output();
  pipe.write("Morgen ");
  const Ended ended = pipe.wait();
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(Pipe, SendsToAChannelThatHasOneSender) {
  const DaemonProcess daemon;
  CommandProcess first(pipe_to(daemon, {"--channel", "main"}));
  first.write("Guten ");
  ASSERT_EQ(first.read(5), "GUTEN");
  const Ended second = CommandProcess::run(pipe_to(daemon, {"--channel", "main"}), "gut");
  EXPECT_THAT(second.err, HasSubstr("main"));
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_EQ(first.wait().exit_code, 0);
}

TEST(CommandLine, KeepsErrorsOutOfStandardOutputAndHasExitCodes) {
  EXPECT_EQ(CommandProcess::run({"--version"}).out, "surtitle 0.1.0\n");
  for (const std::string command : {"pipe", "replay", "loadtest", "compare", "score", "inspect"}) {
    const Ended help = CommandProcess::run({command, "--help"});
    EXPECT_THAT(help.out, HasSubstr("surtitle " + command + " ")) << "its example";
    EXPECT_THAT(help.err, IsEmpty());
    EXPECT_EQ(help.exit_code, 0);
  }
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"nix"},
      {"pipe", "--nix"},
      {"pipe", "--format", "xml"},
      {"pipe", "--url", "ftp://a"},
      {"pipe", "--channel", "a b"},
      {"pipe", "--from", "http"},
      {"pipe", "--agreement", "0"},
      {"pipe", "--agreement", "11"},
      {"pipe", "--output", "vosk"},
      {"replay"},
      {"replay", "x", "--speed", "-1"},
      {"loadtest", "x", "--streams", "2", "--channel", "main"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const Ended ended = CommandProcess::run(arguments);
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_THAT(ended.err, Not(IsEmpty()));
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
  }
}

}  // namespace
}  // namespace surtitle
