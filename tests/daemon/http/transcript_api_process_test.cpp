// The transcripts of all streams of a channel, from the journal: after the next start, a restart, a
// kill, and until they are purged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <boost/json.hpp>
#include <csignal>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "daemon/access/token_file.h"
#include "tests/daemon/support/crashable_daemon.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

HttpAnswer get(int port, const std::string& path) {
  return ask_http(port, "GET " + path + " HTTP/1.1");
}

std::string body(int port, const std::string& path) {
  const HttpAnswer answer = get(port, path);
  EXPECT_EQ(answer.status, 200) << path << ": " << answer.body;
  return answer.body;
}

std::string refusal(int port, const std::string& path, int status = 404) {
  const HttpAnswer answer = get(port, path);
  EXPECT_EQ(answer.status, status) << path;
  return answer.body;
}

json::object list_of(int port, const std::string& channel = "main") {
  return json::parse(body(port, "/v1/channels/" + channel + "/transcripts")).as_object();
}

// Sends a sentence with a time for each word, from `begin` on, and ends the stream. Returns its
// name.
std::string speak(int port, const std::string& channel, const std::string& sentence, double begin,
                  const std::vector<protocol::TrackRequest>& tracks = {}) {
  TestClient sender(port, "/v1/stream");
  protocol::Start start = start_message(channel);
  start.tracks = tracks;
  send(sender, start);
  std::string stream = text_of(sender.read_until("ready"), "stream");
  std::istringstream words(sentence);
  int seq = 0;
  for (std::string word; words >> word;) {
    send(sender, protocol::Source{++seq, word, begin + seq - 1});
  }
  send(sender, protocol::Finish{});
  EXPECT_EQ(how_it_ends(sender), "- finished 1000");
  return stream;
}

std::vector<std::string> names_of(const json::object& list) {
  std::vector<std::string> names;
  for (const json::value& one : list.at("streams").as_array()) {
    names.push_back(text_of(one.as_object(), "stream"));
  }
  return names;
}

TEST(TranscriptList, DescribesEachStreamOfTheChannel) {
  const DaemonProcess daemon({"--models", "en,de-en-multipath,de-fr"});
  const std::string first = speak(daemon.port(), "main", "Guten Morgen.", 1,
                                  {{.name = "fr", .target = "fr", .model = {}, .policy = {}}});
  speak(daemon.port(), "other", "Anderswo.", 1);
  TestClient second(daemon.port(), "/v1/stream");
  send(second, start_message("main"));
  const std::string live = text_of(second.read_until("ready"), "stream");
  translate(second, 1, "Ja.");
  const json::object list = list_of(daemon.port());
  EXPECT_EQ(text_of(list, "channel"), "main");
  EXPECT_THAT(names_of(list), ElementsAre(first, live));
  const json::object& ended = list.at("streams").at(0).as_object();
  const std::string time = "[0-9-]+T[0-9:.]+Z";
  EXPECT_THAT(text_of(ended, "begin"), MatchesRegex(time));
  EXPECT_THAT(text_of(ended, "ended"), MatchesRegex(time));
  EXPECT_GT(text_of(ended, "kept_until"), text_of(ended, "ended"));
  EXPECT_GE(ended.at("length").to_number<double>(), 0);
  EXPECT_FALSE(ended.at("live").as_bool());
  EXPECT_EQ(text_of(ended, "source"), "de");
  EXPECT_EQ(number_of(ended, "source_words"), 2);
  EXPECT_EQ(number_of(ended, "sentences"), 1);
  EXPECT_EQ(json::serialize(ended.at("tracks")),
            R"([{"name":"","target":"en","words":2},{"name":"fr","target":"fr","words":2}])");
  EXPECT_EQ(text_of(ended.at("files").as_object(), "html"), "transcripts/" + first + ".html");
  EXPECT_EQ(text_of(list.at("all").as_object(), "srt"), "transcript.srt?all=1");
  const json::object& running = list.at("streams").at(1).as_object();
  EXPECT_TRUE(running.at("live").as_bool());
  EXPECT_FALSE(running.contains("ended"));
  EXPECT_FALSE(running.contains("kept_until"));
}

TEST(TranscriptList, UrlsLeadToTheFiles) {
  const DaemonProcess daemon;
  speak(daemon.port(), "main", "Eins.", 1);
  const json::object list = list_of(daemon.port());
  for (const auto& [format, file] : list.at("streams").at(0).at("files").as_object()) {
    EXPECT_THAT(body(daemon.port(), "/v1/channels/main/" + std::string(file.as_string())),
                HasSubstr("EINS."))
        << format;
  }
  for (const auto& [format, file] : list.at("all").as_object()) {
    EXPECT_THAT(body(daemon.port(), "/v1/channels/main/" + std::string(file.as_string())),
                HasSubstr("EINS."))
        << format;
  }
}

TEST(StreamTranscript, StaysAfterTheNextStart) {
  const DaemonProcess daemon({"--models", "en,de-en-multipath,de-fr"});
  const std::string first = speak(daemon.port(), "main", "Guten Morgen.", 1,
                                  {{.name = "fr", .target = "fr", .model = {}, .policy = {}}});
  const std::string second = speak(daemon.port(), "main", "Gute Nacht.", 1);
  const std::string address = "/v1/channels/main/transcripts/" + first;
  EXPECT_EQ(body(daemon.port(), address + ".txt"), "GUTEN MORGEN.\n");
  EXPECT_EQ(body(daemon.port(), address + ".vtt"),
            "WEBVTT\n\n00:00:01.000 --> 00:00:03.500\nGUTEN MORGEN.\n");
  EXPECT_EQ(body(daemon.port(), address + ".srt"),
            "1\n00:00:01,000 --> 00:00:03,500\nGUTEN MORGEN.\n");
  EXPECT_EQ(body(daemon.port(), address + ".txt?track=fr&bilingual=1"),
            "Guten Morgen.\nGUTEN MORGEN.\n");
  EXPECT_THAT(body(daemon.port(), address + ".json?track=first"),
              HasSubstr(R"("target":"GUTEN MORGEN.","complete":true)"));
  EXPECT_EQ(body(daemon.port(), "/v1/channels/main/transcript.txt"), "GUTE NACHT.\n");
  EXPECT_EQ(body(daemon.port(), "/v1/channels/main/transcripts/" + second + ".txt"),
            "GUTE NACHT.\n");
}

TEST(StreamTranscript, IsAPageThatNeedsNothingElse) {
  const DaemonProcess daemon;
  const std::string stream = speak(daemon.port(), "main", "<b>Guten</b> Tag.", 61);
  const HttpAnswer page =
      get(daemon.port(), "/v1/channels/main/transcripts/" + stream + ".html?bilingual=1");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.headers, AllOf(HasSubstr("text/html; charset=utf-8"),
                                  HasSubstr("default-src 'none'; style-src 'unsafe-inline'")));
  EXPECT_THAT(page.body,
              AllOf(HasSubstr("<title>main</title>"), HasSubstr("de \u2192 en"),
                    HasSubstr("<td class=\"time\">00:01:01</td>"),
                    HasSubstr("<td class=\"text\" lang=\"de\" dir=\"auto\">&lt;b&gt;Guten"),
                    HasSubstr("lang=\"en\" dir=\"auto\">GUTEN"), Not(HasSubstr("<b>")),
                    Not(HasSubstr("src="))));
  EXPECT_THAT(body(daemon.port(), "/v1/channels/main/transcript.html"),
              HasSubstr("<p lang=\"en\" dir=\"auto\"><span class=\"time\">00:01:01</span> "));
}

// Returns the begins of the cues, in seconds.
std::vector<double> begins_of(const std::string& vtt) {
  const std::regex cue("(\\d\\d):(\\d\\d):(\\d\\d\\.\\d\\d\\d) -->");
  std::vector<double> begins;
  for (std::sregex_iterator at(vtt.begin(), vtt.end(), cue); at != std::sregex_iterator(); ++at) {
    begins.push_back(3600 * std::stod((*at)[1]) + 60 * std::stod((*at)[2]) + std::stod((*at)[3]));
  }
  return begins;
}

TEST(AllTranscripts, AreOneFileWhoseTimesGoOn) {
  const DaemonProcess daemon;
  speak(daemon.port(), "main", "Eins.", 5);
  speak(daemon.port(), "main", "Zwei.", 1);  // a clock of its own
  speak(daemon.port(), "main", "Drei.", 1);
  const std::string all = "/v1/channels/main/transcript.";
  EXPECT_EQ(body(daemon.port(), all + "txt?all=1"), "EINS.\n\nZWEI.\n\nDREI.\n");
  const std::vector<double> begins = begins_of(body(daemon.port(), all + "vtt?all=1"));
  ASSERT_THAT(begins, SizeIs(3));
  EXPECT_EQ(begins[0], 5);
  EXPECT_GE(begins[1], 5.5);
  EXPECT_GE(begins[2], begins[1] + 0.5);
  EXPECT_THAT(body(daemon.port(), all + "srt?all=1"), HasSubstr("\n\n3\n"));
  const json::array sentences = json::parse(body(daemon.port(), all + "json?all=1")).as_array();
  ASSERT_THAT(sentences, SizeIs(3));
  EXPECT_EQ(text_of(sentences[1].as_object(), "stream"), names_of(list_of(daemon.port()))[1]);
  EXPECT_THAT(body(daemon.port(), all + "html?all=1"),
              AllOf(HasSubstr("EINS."), HasSubstr("ZWEI."), HasSubstr("DREI.")));
  EXPECT_EQ(body(daemon.port(), all + "txt?all=0"), "DREI.\n");
}

TEST(AllTranscripts, StayAfterARestartAndAKill) {
  CrashableDaemon daemon({"--resume-timeout", "1000"});
  const std::string first = speak(daemon.port(), "main", "Eins.", 1);
  speak(daemon.port(), "main", "Zwei.", 1);
  TestClient cut = start_stream(daemon.port(), "main");
  EXPECT_EQ(translate(cut, 1, "Drei."), "DREI.");
  daemon.kill();
  daemon.come_back();
  EXPECT_EQ(body(daemon.port(), "/v1/channels/main/transcript.txt?all=1"),
            "EINS.\n\nZWEI.\n\nDREI.\n");
  EXPECT_EQ(body(daemon.port(), "/v1/channels/main/transcripts/" + first + ".txt"), "EINS.\n");
  EXPECT_THAT(names_of(list_of(daemon.port())), SizeIs(3));
}

// Ended longer ago than resume.timeout: the memory of the new process has no stream.
TEST(ChannelTranscript, OfTheLastStreamStaysAfterARestart) {
  const StateFolder state;
  const std::vector<std::string> flags{"--journal-path", state.journal(), "--resume-timeout",
                                       "0.001"};
  {
    DaemonProcess daemon(flags);
    speak(daemon.port(), "main", "Eins.", 1);
    speak(daemon.port(), "main", "Zwei.", 1);
    daemon.signal(SIGTERM);
    daemon.wait();
  }
  const DaemonProcess daemon(flags);
  EXPECT_EQ(body(daemon.port(), "/v1/channels/main/transcript.txt"), "ZWEI.\n");
}

TEST(AllTranscripts, AreKeptForTheRetentionOfTheJournal) {
  const StateFolder state;
  std::string old;
  {
    DaemonProcess daemon({"--journal-path", state.journal()});
    old = speak(daemon.port(), "main", "Alt.", 1);
    speak(daemon.port(), "main", "Neu.", 1);
    daemon.signal(SIGTERM);
    daemon.wait();
  }
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(state.journal().c_str(), &file), SQLITE_OK);
  const std::string earlier =
      "UPDATE stream SET ended = ended - 7200000 WHERE name = '" + old + "'";
  ASSERT_EQ(sqlite3_exec(file, earlier.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(file);
  const DaemonProcess daemon({"--journal-path", state.journal(), "--journal-retention", "1"});
  while (names_of(list_of(daemon.port())).size() > 1) {
  }
  EXPECT_EQ(body(daemon.port(), "/v1/channels/main/transcript.txt?all=1"), "NEU.\n");
  EXPECT_THAT(refusal(daemon.port(), "/v1/channels/main/transcripts/" + old + ".txt"),
              HasSubstr("not kept any more"));
}

TEST(AllTranscripts, AreKeptForeverWithoutRetention) {
  const DaemonProcess daemon({"--journal-retention", "0"});
  speak(daemon.port(), "main", "Eins.", 1);
  const json::object list = list_of(daemon.port());
  const json::object& stream = list.at("streams").at(0).as_object();
  EXPECT_TRUE(stream.contains("ended"));
  EXPECT_FALSE(stream.contains("kept_until"));
}

TEST(AllTranscripts, AreThoseInMemoryWithoutAJournal) {
  const DaemonProcess daemon({"--journal-path", "none"});
  speak(daemon.port(), "main", "Eins.", 1);
  const std::string last = speak(daemon.port(), "main", "Zwei.", 1);
  EXPECT_THAT(names_of(list_of(daemon.port())), ElementsAre(last));
  EXPECT_EQ(body(daemon.port(), "/v1/channels/main/transcripts/" + last + ".txt"), "ZWEI.\n");
  EXPECT_EQ(body(daemon.port(), "/v1/channels/main/transcript.txt?all=1"), "ZWEI.\n");
  EXPECT_THAT(names_of(list_of(daemon.port(), "other")), IsEmpty());
}

TEST(AllTranscripts, OfOddChannelNames) {
  const DaemonProcess daemon;
  for (const std::string channel : {"a.b", "-", "_x.vtt", "transcripts", "Main", "main"}) {
    const std::string stream = speak(daemon.port(), channel, "Eins.", 1);
    EXPECT_THAT(names_of(list_of(daemon.port(), channel)), ElementsAre(stream));
    const std::string address = "/v1/channels/" + channel;
    EXPECT_EQ(body(daemon.port(), address + "/transcripts/" + stream + ".txt"), "EINS.\n");
    EXPECT_EQ(body(daemon.port(), address + "/transcript.txt?all=1"), "EINS.\n");
  }
  EXPECT_EQ(body(daemon.port(), "/v1/channels/a%2Eb/transcript.txt?all=1"), "EINS.\n");
}

TEST(AllTranscripts, WithoutWordsAreNotFound) {
  const DaemonProcess daemon;
  const int port = daemon.port();
  const std::string stream = speak(port, "main", "Eins.", 1);
  EXPECT_THAT(names_of(list_of(port, "absent")), IsEmpty());
  EXPECT_THAT(refusal(port, "/v1/channels/absent/transcript.txt?all=1"),
              HasSubstr("No words were sent"));
  EXPECT_THAT(refusal(port, "/v1/channels/a%20b/transcripts"), HasSubstr("1 to 64"));
  const std::string address = "/v1/channels/main/transcripts/";
  EXPECT_THAT(refusal(port, address + "s-unknown.txt"), HasSubstr("no stream 's-unknown'"));
  EXPECT_THAT(refusal(port, "/v1/channels/absent/transcripts/" + stream + ".txt"),
              HasSubstr("no stream"));
  EXPECT_THAT(refusal(port, address + stream + ".doc"), HasSubstr("html"));
  EXPECT_THAT(refusal(port, address + stream + ".txt?track=xx"), HasSubstr("no track 'xx'"));
  EXPECT_THAT(refusal(port, "/v1/channels/main/transcript.txt?all=1&track=xx"),
              HasSubstr("no track 'xx'"));
  EXPECT_THAT(refusal(port, "/v1/channels/main/transcript.pdf?all=1"), HasSubstr("html"));
  const TestClient silent = start_stream(port, "silent");
  EXPECT_THAT(names_of(list_of(port, "silent")), IsEmpty());
}

TEST(AllTranscripts, AreReadWhileManyAsk) {
  const DaemonProcess daemon;
  const std::string stream = speak(daemon.port(), "main", "Eins.", 1);
  std::vector<std::thread> clients;
  std::atomic<int> read = 0;
  std::atomic<int> busy = 0;
  for (int i = 0; i < 24; ++i) {
    clients.emplace_back([&, i] {
      const HttpAnswer answer =
          get(daemon.port(), i % 2 == 0 ? "/v1/channels/main/transcripts/" + stream + ".txt"
                                        : "/v1/channels/main/transcripts");
      (answer.status == 200 ? read : busy) += 1;
      EXPECT_THAT(answer.status, testing::AnyOf(200, 503)) << answer.body;
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_GT(read, 0);
  EXPECT_EQ(read + busy, 24);
}

TEST(AllTranscripts, RequireTheRightToViewTheChannel) {
  const TemporaryFolder folder;
  const NewToken hall = make_token({"hall", Roles::parse("send,view"), "hall"});
  const NewToken sender = make_token({"sender", Roles::parse("send")});
  const DaemonProcess daemon(
      {"--access-tokens", folder.write("tokens", hall.line + "\n" + sender.line + "\n")});
  {
    TestClient client(daemon.port(), "/v1/stream?token=" + sender.token);
    send(client, start_message("main"));
    client.read_until("ready");
    translate(client, 1, "Geheim.");
  }
  const std::vector<std::string> addresses{"/v1/channels/main/transcripts",
                                           "/v1/channels/main/transcripts/s-0.txt",
                                           "/v1/channels/main/transcript.txt?all=1"};
  for (const std::string& address : addresses) {
    const std::string bearer = "Authorization: Bearer ";
    const std::string request = "GET " + address + " HTTP/1.1";
    EXPECT_EQ(get(daemon.port(), address).status, 401) << address;
    EXPECT_EQ(ask_http(daemon.port(), request, bearer + hall.token + "\r\n").status, 403)
        << address;
    EXPECT_EQ(ask_http(daemon.port(), request, bearer + sender.token + "\r\n").status,
              address.ends_with("s-0.txt") ? 404 : 200)
        << address;
  }
}

}  // namespace
}  // namespace surtitle
