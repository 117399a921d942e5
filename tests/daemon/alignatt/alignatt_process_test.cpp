// The protocol of WhisperLiveKit's translation backend "alignatt", over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <stdexcept>

#include "daemon/access/token_file.h"
#include "daemon/base/text.h"
#include "tests/daemon/support/crashable_daemon.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/scripted_translator.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

std::string capitals(const std::string& text) { return ScriptedTokenizer::capitals(text); }

// A client of the protocol. Word i ends at i seconds.
class AlignattClient {
 public:
  explicit AlignattClient(int port, const std::string& path = "/") : client_(port, path) {}

  json::object init(json::object fields = {}) {
    json::object message{{"type", "init"},
                         {"protocol_version", 1},
                         {"source_lang", "de"},
                         {"target_lang", "en"},
                         {"overrides", json::object()}};
    for (const auto& [name, value] : fields) {
      message[name] = value;
    }
    return ask(json::serialize(message));
  }

  // Returns the seq.
  int send_update(int utterance, const Words& words, bool is_final = false,
                  const Words& tail = {}) {
    json::array list;
    for (const std::string& word : words) {
      const double end = 1000.0 * static_cast<double>(list.size() + 1);
      list.push_back(json::array{word, end - 500, end});
    }
    json::object message{{"type", "update"}, {"seq", ++seq_},       {"utterance_id", utterance},
                         {"words", list},    {"clock_ms", 90000.0}, {"is_final", is_final}};
    if (!tail.empty()) {
      json::array items;
      for (const std::string& word : tail) {
        items.push_back(json::array{word, nullptr, nullptr});
      }
      message["tail"] = json::object{{"words", items}};
    }
    client_.send(json::serialize(message));
    return seq_;
  }

  json::object update(int utterance, const Words& words, bool is_final = false,
                      const Words& tail = {}) {
    const int seq = send_update(utterance, words, is_final, tail);
    json::object answer = client_.read_until("translation");
    EXPECT_EQ(number_of(answer, "seq"), seq);
    EXPECT_EQ(number_of(answer, "utterance_id"), utterance);
    return answer;
  }

  json::object ask(const std::string& text) {
    client_.send(text);
    return read();
  }

  json::object read() {
    std::optional<json::object> answer = client_.read();
    if (!answer) {
      throw std::runtime_error("the connection ended before an answer");
    }
    return *std::move(answer);
  }

  std::string error(const std::string& text) { return text_of(ask(text), "code"); }
  TestClient& socket() { return client_; }

 private:
  TestClient client_;
  int seq_ = 0;
};

std::string committed(const json::object& answer) { return text_of(answer, "committed_text"); }
std::string draft(const json::object& answer) { return text_of(answer, "buffer_text"); }

TEST(Alignatt, DefaultsOfBothSidesTranslate) {
  const DaemonProcess daemon;
  AlignattClient client(daemon.port());
  const json::object ready = client.init();
  EXPECT_EQ(type_of(ready), "init_ok");
  EXPECT_EQ(text_of(ready, "direction"), "de-en");
  EXPECT_EQ(committed(client.update(0, {"Guten"})), "GUTEN");
  const json::object second = client.update(0, {"Guten", "Morgen,"});
  EXPECT_EQ(committed(second), "GUTEN MORGEN,");
  EXPECT_EQ(text_of(second, "committed_delta"), " MORGEN,");
  EXPECT_EQ(number_of(second, "covered_source_units"), 2);
  const json::object last = client.update(0, {"Guten", "Morgen,", "Anna."}, /*is_final=*/true);
  EXPECT_EQ(committed(last), "GUTEN MORGEN, ANNA.");
  EXPECT_TRUE(last.at("final").as_bool());
  EXPECT_EQ(committed(client.update(1, {"Ja"})), "JA");
}

TEST(Alignatt, TermsOfTheContextComeOut) {
  const DaemonProcess daemon;
  AlignattClient client(daemon.port());
  client.init({{"context_text", "Names: none.\nRunder Tisch = round table"}});
  const json::object held = client.update(0, {"Der", "Runder"}, false, {"Tisch"});
  EXPECT_EQ(committed(held), "DER");
  EXPECT_EQ(number_of(held, "covered_source_units"), 1);
  EXPECT_EQ(committed(client.update(0, {"Der", "Runder", "Tisch", "tagt."}, /*is_final=*/true)),
            "DER round table TAGT.");
}

TEST(Alignatt, StreamIsLikeAnyOther) {
  const DaemonProcess daemon;
  TestClient viewer(daemon.port(), "/v1/channels/main");
  AlignattClient client(daemon.port());
  client.init();
  client.update(0, {"Guten"}, false, {"Morgen."});
  EXPECT_EQ(text_of(viewer.read_until("source"), "text"), "Guten");
  client.update(0, {"Guten", "Morgen."}, /*is_final=*/true);
  EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "GUTEN MORGEN.");
  const std::string transcript =
      ask_http(daemon.port(), "GET /v1/channels/main/transcript.json HTTP/1.1").body;
  EXPECT_THAT(transcript, AllOf(HasSubstr("GUTEN MORGEN."), HasSubstr("\"source_time\":2")));
  EXPECT_EQ(metric(daemon.port(), "surtitle_source_words_total"), 2);
  // The words last from 0.6 s to 2 s, and are written at 1 s and 2 s: (0.4 + 1.4 - 0.7) / 2.
  EXPECT_NEAR(metric(daemon.port(), "surtitle_average_lagging_seconds_sum{policy=\"gma\"}"), 0.55,
              1e-9);
  EXPECT_THAT(ask_http(daemon.port(), "GET /?lines=2 HTTP/1.1").headers,
              AllOf(StartsWith("HTTP/1.1 302"), HasSubstr("c/main")));
}

TEST(Alignatt, DraftOfTheTailIsHeldUntilItsWordsAreCommitted) {
  const DaemonProcess daemon;
  AlignattClient client(daemon.port(), "/v1/alignatt?channel=hall&policy=wait-k:k%3D3");
  EXPECT_EQ(text_of(client.init(), "preset"), "wait-k:k=3");
  json::object answer = client.update(0, {"Ja", "nein"}, false, {"doch", "so"});
  EXPECT_EQ(committed(answer), "");
  EXPECT_EQ(draft(answer), "JA NEIN");
  answer = client.update(0, {"Ja", "nein", "doch"}, false, {"so"});
  EXPECT_EQ(committed(answer), "JA");
  EXPECT_EQ(draft(answer), " NEIN");
  answer = client.update(0, {"Ja", "nein", "doch"}, false, {"gut", "ist"});
  EXPECT_EQ(committed(answer), "JA");
  EXPECT_EQ(draft(answer), " NEIN DOCH");
  answer = client.update(0, {"Ja", "nein", "doch", "nun"});
  EXPECT_EQ(committed(answer), "JA NEIN");
  EXPECT_EQ(draft(answer), "");
  answer = client.update(0, {"Ja", "nein", "doch", "nun", "gut."}, /*is_final=*/true);
  EXPECT_EQ(committed(answer), "JA NEIN DOCH NUN GUT.");
}

// The latency settings of WhisperLiveKit's client: the overrides that it sends, and the policies
// that they choose.
struct Latency {
  std::string name;
  json::object overrides;
  std::string wait_k;
  std::string gma;
};
const std::vector<Latency>& latencies() {
  static const std::vector<Latency> latencies{{"quality",
                                               {{"translation_alignatt_hold_back_target_units", 1}},
                                               "wait-k:k=9",
                                               "gma:delta=3"},
                                              {"balanced", {}, "wait-k:k=3", "gma:delta=1"},
                                              {"low",
                                               {{"translation_alignatt_hold_back_target_units", 0},
                                                {"translation_alignatt_min_emit_target_units", 0}},
                                               "wait-k:k=3",
                                               "gma:delta=0.5"}};
  return latencies;
}

TEST(Alignatt, LatencyAndPresetChooseThePolicy) {
  const DaemonProcess daemon({"--models", "de-en-multipath,de-en-gma"});
  const auto policy = [&](const std::string& path, const json::object& fields) {
    return text_of(AlignattClient(daemon.port(), path).init(fields), "preset");
  };
  for (const Latency& latency : latencies()) {
    for (const json::object& fields :
         {json::object{{"overrides", latency.overrides}}, json::object{{"preset", latency.name}}}) {
      EXPECT_EQ(policy("/", fields), latency.wait_k);
      EXPECT_EQ(policy("/v1/alignatt?model=de-en-gma", fields), latency.gma);
    }
  }
  EXPECT_EQ(policy("/", {{"preset", "full-sentence"}}), "full-sentence");
}

const Words kVocabulary{"ja", "nein", "vielleicht", "gut,", "heute", "z.B.", "am", "3.", "Mai."};

// A talk of utterances that grow by some words, and whose tail changes.
class RandomTalk {
 public:
  explicit RandomTalk(unsigned seed) : random_(seed) {}

  int number(int most) { return std::uniform_int_distribution(0, most)(random_); }
  void begin_utterance() { words = tail = {}; }
  void grow() {
    const Words other = some(3);
    const Words& more = number(1) == 0 ? tail : other;  // the tail is often right
    words.insert(words.end(), more.begin(), more.end());
    tail = some(4);
  }

  Words words;
  Words tail;

 private:
  Words some(int most) {
    Words chosen(static_cast<std::size_t>(number(most)));
    for (std::string& word : chosen) {
      word =
          kVocabulary[static_cast<std::size_t>(number(static_cast<int>(kVocabulary.size()) - 1))];
    }
    return chosen;
  }

  std::mt19937 random_;
};

// Sends up to three updates at once and returns the answer to the last one. All answers grow.
std::string grow(AlignattClient& client, RandomTalk& talk, int utterance, std::string before) {
  int newest = 0;
  for (int updates = talk.number(2); updates >= 0; --updates) {
    talk.grow();
    newest = client.send_update(utterance, talk.words, false, talk.tail);
  }
  for (int seq = 0; seq < newest;) {
    const json::object answer = client.socket().read_until("translation");
    EXPECT_GT(number_of(answer, "seq"), seq);
    EXPECT_EQ(before + text_of(answer, "committed_delta"), committed(answer));
    seq = number_of(answer, "seq");
    before = committed(answer);
  }
  return before;
}

// Clients see the text of a stream whose tails are not read, whatever the tails are.
TEST(Alignatt, CommittedTextOnlyGrowsAndDoesNotDependOnTails) {
  for (const char* model : {"de-en-multipath", "de-en-gma"}) {
    const DaemonProcess daemon({"--models", model});
    for (unsigned seed = 0; seed < 9; ++seed) {
      const Latency& latency = latencies()[seed % latencies().size()];
      SCOPED_TRACE(latency.name + ", seed " + std::to_string(seed));
      RandomTalk talk(seed);
      AlignattClient client(daemon.port());
      AlignattClient plain(daemon.port());
      client.init({{"overrides", latency.overrides}});
      plain.init({{"overrides", latency.overrides}});
      for (int utterance = 0; utterance < 4; ++utterance) {
        talk.begin_utterance();
        std::string text;
        for (int i = 0; i < 6; ++i) {
          text = grow(client, talk, utterance, text);
          ASSERT_EQ(text, committed(plain.update(utterance, talk.words)));
        }
        const std::string last = committed(client.update(utterance, talk.words, /*is_final=*/true));
        ASSERT_THAT(last, StartsWith(text));
        ASSERT_EQ(last, committed(plain.update(utterance, talk.words, /*is_final=*/true)));
        ASSERT_EQ(last, capitals(join_words(talk.words)));
      }
    }
  }
}

TEST(Alignatt, CommittedTextOnlyGrowsOverCuts) {
  const DaemonProcess daemon({"--models", "de-en-multipath"});
  for (unsigned seed = 0; seed < 9; ++seed) {
    const Latency& latency = latencies()[seed % latencies().size()];
    SCOPED_TRACE(latency.name + ", seed " + std::to_string(seed));
    RandomTalk talk(seed);
    std::string text;
    std::optional<AlignattClient> client;
    for (int utterance = 0; utterance < 4; ++utterance) {
      talk.begin_utterance();
      text.clear();
      for (int i = 0; i < 6; ++i) {
        if (!client || talk.number(2) == 0) {
          client.emplace(daemon.port());
          json::object fields{{"overrides", latency.overrides}};
          if (!text.empty()) {
            fields["accepted_target_prefix"] = text;
          }
          ASSERT_EQ(type_of(client->init(fields)), "init_ok");
        }
        const std::string before = text;
        text = grow(*client, talk, utterance, text);
        ASSERT_THAT(text, StartsWith(before));
      }
      const std::string last = committed(client->update(utterance, talk.words, /*is_final=*/true));
      ASSERT_EQ(last, capitals(join_words(talk.words)));
    }
  }
}

TEST(Alignatt, WaitingUpdatesAreMergedAndNoFinalIsLost) {
  const DaemonProcess daemon({"--models", "de-en-steady"});
  AlignattClient client(daemon.port());
  client.init();
  client.send_update(0, {"Eins"});
  client.send_update(0, {"Eins", "zwei"});
  client.send_update(0, {"Eins", "zwei", "drei."}, /*is_final=*/true);
  client.send_update(1, {"Noch"});
  const int newest = client.send_update(1, {"Noch", "ein"});
  std::string first;
  json::object answer;
  for (int seq = 0; seq < newest; seq = number_of(answer, "seq")) {
    answer = client.socket().read_until("translation");
    ASSERT_GT(number_of(answer, "seq"), seq);
    first = number_of(answer, "utterance_id") == 0 ? committed(answer) : first;
  }
  EXPECT_EQ(first, "EINS ZWEI DREI.");
  EXPECT_EQ(committed(answer), "NOCH EIN");
}

TEST(Alignatt, UtteranceWithoutAFinalUpdateEndsWithTheNextOne) {
  const DaemonProcess daemon;
  AlignattClient client(daemon.port(), "/v1/alignatt?policy=full-sentence");
  client.init();
  EXPECT_EQ(committed(client.update(0, {"Eins", "zwei"})), "");
  EXPECT_EQ(committed(client.update(1, {"drei"})), "");
  EXPECT_EQ(committed(client.update(1, {"drei", "vier"}, /*is_final=*/true)), "DREI VIER");
  EXPECT_THAT(ask_http(daemon.port(), "GET /v1/channels/main/transcript.txt HTTP/1.1").body,
              HasSubstr("EINS ZWEI"));
}

TEST(Alignatt, LongUtteranceIsEndedAndNoWordIsLost) {
  const DaemonProcess daemon;
  AlignattClient client(daemon.port());
  client.init();
  Words words(299, "ja");
  EXPECT_FALSE(client.update(0, words).at("final").as_bool());
  words.emplace_back("nein");
  const json::object answer = client.update(0, words, false, {"doch"});
  EXPECT_TRUE(answer.at("final").as_bool());
  EXPECT_TRUE(answer.at("forced_final").as_bool());
  EXPECT_EQ(committed(answer), capitals(join_words(words)));
  EXPECT_EQ(draft(answer), "");
  words.emplace_back("doch");  // the client has sent it before the answer arrived
  EXPECT_EQ(committed(client.update(0, words)), capitals(join_words(words)));
  const json::object next = client.update(1, {"Gut."}, /*is_final=*/true);
  EXPECT_FALSE(next.at("forced_final").as_bool());
  EXPECT_EQ(committed(next), "GUT.");
}

TEST(Alignatt, RepeatedFinalUpdateHasTheSameAnswer) {
  const DaemonProcess daemon;
  AlignattClient client(daemon.port());
  client.init();
  EXPECT_EQ(committed(client.update(0, {"Ja."}, /*is_final=*/true)), "JA.");
  EXPECT_EQ(committed(client.update(0, {"Ja."}, /*is_final=*/true)), "JA.");
  EXPECT_EQ(metric(daemon.port(), "surtitle_source_words_total"), 1);
}

TEST(Alignatt, BadMessageEndsNothingButItself) {
  const DaemonProcess daemon({"--limits-queued-words", "200"});
  AlignattClient client(daemon.port());
  EXPECT_EQ(client.error("{"), "bad_json");
  EXPECT_EQ(client.error(R"({"type":"stop"})"), "unknown_type");
  EXPECT_EQ(
      client.error(R"({"type":"update","seq":1,"utterance_id":0,"words":[],"is_final":false})"),
      "out_of_order");
  EXPECT_EQ(text_of(client.init({{"protocol_version", 2}}), "code"), "unsupported_protocol");
  EXPECT_EQ(text_of(client.init({{"preset", "gemma"}}), "code"), "unknown_preset");
  EXPECT_EQ(type_of(client.init()), "init_ok");
  EXPECT_EQ(text_of(client.init(), "code"), "out_of_order");
  EXPECT_EQ(client.error(R"({"type":"update","seq":1,"words":[]})"), "bad_field");
  client.send_update(0, Words(201, "ja"));
  EXPECT_EQ(text_of(client.read(), "code"), "too_many_words");
  client.send_update(0, {"Ja"}, false, {join_words(Words(200, "ja"))});
  EXPECT_EQ(text_of(client.read(), "code"), "too_many_words");
  EXPECT_EQ(committed(client.update(0, {"Ja"})), "JA");
}

TEST(Alignatt, UnsupportedDirectionNamesTheSupportedOnesAndCloses) {
  const DaemonProcess daemon({"--models", "de-en,de-fr"});
  AlignattClient client(daemon.port());
  const json::object error = client.init({{"target_lang", "it"}});
  EXPECT_EQ(text_of(error, "code"), "unsupported_direction");
  EXPECT_EQ(error.at("supported"), (json::array{"de-en", "de-fr"}));
  EXPECT_TRUE(client.socket().read_to_end().empty());
  EXPECT_EQ(client.socket().close_code(), 4400);
}

TEST(Alignatt, SecondClientHasAnotherChannel) {
  const DaemonProcess daemon;
  AlignattClient first(daemon.port());
  first.init();
  AlignattClient second(daemon.port());
  second.init();
  second.update(0, {"Zwei."}, /*is_final=*/true);
  first.update(0, {"Eins."}, /*is_final=*/true);
  const auto transcript = [&](const std::string& channel) {
    return ask_http(daemon.port(), "GET /v1/channels/" + channel + "/transcript.txt HTTP/1.1").body;
  };
  EXPECT_THAT(transcript("main"), HasSubstr("EINS."));
  EXPECT_THAT(transcript("main-2"), HasSubstr("ZWEI."));
  AlignattClient third(daemon.port(), "/v1/alignatt?channel=main");
  EXPECT_EQ(text_of(third.init(), "code"), "channel_busy");
  EXPECT_TRUE(third.socket().read_to_end().empty());
  EXPECT_EQ(third.socket().close_code(), 4409);
}

TEST(Alignatt, ContinuesTheAcceptedTextAfterACut) {
  const DaemonProcess daemon;
  std::string accepted;
  {
    AlignattClient client(daemon.port());
    client.init();
    accepted = committed(client.update(0, {"Guten", "Morgen,", "liebe"}));
    EXPECT_EQ(accepted, "GUTEN MORGEN, LIEBE");
    client.socket().cut();
  }
  AlignattClient client(daemon.port());
  client.init({{"accepted_target_prefix", accepted}, {"history", json::array{}}});
  json::object answer = client.update(7, {"Guten", "Morgen,", "liebe", "Anna"});
  EXPECT_EQ(committed(answer), "GUTEN MORGEN, LIEBE ANNA");
  answer = client.update(7, {"Guten", "Morgen,", "liebe", "Anna", "Maria."}, /*is_final=*/true);
  EXPECT_EQ(committed(answer), "GUTEN MORGEN, LIEBE ANNA MARIA.");
  EXPECT_EQ(committed(client.update(8, {"Ja."}, /*is_final=*/true)), "JA.");
  EXPECT_THAT(ask_http(daemon.port(), "GET /v1/channels/main/transcript.txt HTTP/1.1").body,
              HasSubstr("GUTEN MORGEN, LIEBE ANNA MARIA."));
}

TEST(Alignatt, ContinuesTheAcceptedTextAfterTheDaemonWasKilled) {
  CrashableDaemon daemon({});
  AlignattClient before(daemon.port());
  before.init();
  const std::string accepted = committed(before.update(0, {"Guten", "Morgen,"}));
  daemon.kill();
  daemon.come_back();
  AlignattClient client(daemon.port());
  client.init({{"accepted_target_prefix", accepted}});
  EXPECT_EQ(committed(client.update(0, {"Guten", "Morgen,", "Anna."}, /*is_final=*/true)),
            "GUTEN MORGEN, ANNA.");
}

TEST(Alignatt, TokensHold) {
  const TemporaryFolder folder;
  const NewToken send = make_token({"sender", Roles::parse("send")});
  const NewToken view = make_token({"watcher", Roles::parse("view")});
  const NewToken hall = make_token({"hall", Roles::parse("send"), "hall-*"});
  const DaemonProcess daemon(
      {"--access-tokens",
       folder.write("tokens", send.line + "\n" + view.line + "\n" + hall.line + "\n")});
  EXPECT_THROW(AlignattClient(daemon.port(), "/"), std::runtime_error);
  EXPECT_THROW(AlignattClient(daemon.port(), "/?token=" + view.token), std::runtime_error);
  EXPECT_EQ(ask_http(daemon.port(), "GET /?lines=2 HTTP/1.1").status, 302);
  AlignattClient sender(daemon.port(), "/?token=" + send.token);
  EXPECT_EQ(type_of(sender.init()), "init_ok");
  AlignattClient speaker(daemon.port(), "/v1/alignatt?channel=hall-1&token=" + hall.token);
  EXPECT_EQ(type_of(speaker.init()), "init_ok");
  AlignattClient stranger(daemon.port(), "/v1/alignatt?channel=main-3&token=" + hall.token);
  EXPECT_EQ(text_of(stranger.init(), "code"), "forbidden");
}

TEST(Alignatt, UrlIsChecked) {
  const DaemonProcess daemon;
  EXPECT_EQ(ask_http(daemon.port(), "GET /v1/alignatt HTTP/1.1").status, 426);
  EXPECT_THAT(raw(daemon.port(), "GET /v1/alignatt?channel=a%2Fb HTTP/1.1\r\nHost: localhost\r\n" +
                                     kUpgrade + "\r\n"),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("channel must be 1 to 64 characters")));
}

TEST(Alignatt, DrainClosesTheConnection) {
  DaemonProcess daemon({"--drain-mode", "finish"});
  AlignattClient client(daemon.port());
  client.init();
  client.update(0, {"Ja"});
  daemon.signal(SIGTERM);
  client.socket().read_to_end();
  EXPECT_EQ(client.socket().close_code(), 1001);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

}  // namespace
}  // namespace surtitle
