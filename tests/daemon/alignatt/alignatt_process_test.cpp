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

TEST(Alignatt, StreamIsLikeAnyOther) {
  const DaemonProcess daemon;
  AlignattClient client(daemon.port());
  client.init();
  client.update(0, {"Guten", "Morgen."}, /*is_final=*/true);
  const std::string transcript =
      ask_http(daemon.port(), "GET /v1/channels/main/transcript.json HTTP/1.1").body;
  EXPECT_THAT(transcript, AllOf(HasSubstr("GUTEN MORGEN."), HasSubstr("\"source_time\":2")));
  EXPECT_EQ(metric(daemon.port(), "surtitle_source_words_total"), 2);
  EXPECT_THAT(ask_http(daemon.port(), "GET / HTTP/1.1").headers,
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

TEST(Alignatt, LatencyAndPresetChooseThePolicy) {
  const DaemonProcess daemon({"--models", "de-en-multipath"});
  const auto policy = [&](const json::object& fields) {
    return text_of(AlignattClient(daemon.port()).init(fields), "preset");
  };
  const json::object quality{{"translation_alignatt_hold_back_target_units", 1}};
  EXPECT_EQ(policy({{"overrides", quality}}), "wait-k:k=9");
  EXPECT_EQ(policy({{"preset", "low"}}), "wait-k:k=3");
  EXPECT_EQ(policy({{"preset", "full-sentence"}}), "full-sentence");
}

// What a client must see, whatever it sends.
TEST(Alignatt, CommittedTextOnlyGrowsUnderRandomUpdates) {
  const DaemonProcess daemon;
  const Words vocabulary{"ja", "nein", "vielleicht", "gut,", "heute", "z.B.", "am", "3.", "Mai"};
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::mt19937 random(seed);
    const auto some = [&](int most) {
      Words words(std::uniform_int_distribution<std::size_t>(0, most)(random));
      for (std::string& word : words) {
        word = vocabulary[random() % vocabulary.size()];
      }
      return words;
    };
    AlignattClient client(daemon.port(),
                          "/v1/alignatt?policy=wait-k:k%3D" + std::to_string(1 + random() % 5));
    client.init();
    for (int utterance = 0; utterance < 4; ++utterance) {
      Words words;
      Words tail;
      std::string before;
      for (int i = 0; i < 8; ++i) {
        const Words other = some(3);
        const Words& more = random() % 2 == 0 ? tail : other;  // the tail is often right
        words.insert(words.end(), more.begin(), more.end());
        tail = some(4);
        const json::object answer = client.update(utterance, words, false, tail);
        ASSERT_THAT(committed(answer), StartsWith(before)) << seed;
        ASSERT_EQ(before + text_of(answer, "committed_delta"), committed(answer)) << seed;
        before = committed(answer);
        ASSERT_THAT(capitals(join_words(words)), StartsWith(before)) << seed;
      }
      const std::string final_text = committed(client.update(utterance, words, /*is_final=*/true));
      ASSERT_EQ(final_text, capitals(join_words(words))) << seed;
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
  client.send_update(1, {"Vier"});
  const int newest = client.send_update(1, {"Vier", "fünf"});
  std::string first;
  json::object answer;
  for (int seq = 0; seq < newest; seq = number_of(answer, "seq")) {
    answer = client.socket().read_until("translation");
    ASSERT_GT(number_of(answer, "seq"), seq);
    first = number_of(answer, "utterance_id") == 0 ? committed(answer) : first;
  }
  EXPECT_EQ(first, "EINS ZWEI DREI.");
  EXPECT_EQ(committed(answer), "VIER FüNF");
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
  EXPECT_EQ(ask_http(daemon.port(), "GET / HTTP/1.1").status, 302);
  AlignattClient sender(daemon.port(), "/?token=" + send.token);
  EXPECT_EQ(type_of(sender.init()), "init_ok");
  AlignattClient speaker(daemon.port(), "/v1/alignatt?channel=hall-1&token=" + hall.token);
  EXPECT_EQ(type_of(speaker.init()), "init_ok");
  AlignattClient stranger(daemon.port(), "/v1/alignatt?channel=main-3&token=" + hall.token);
  EXPECT_EQ(text_of(stranger.init(), "code"), "forbidden");
}

TEST(Alignatt, AddressIsChecked) {
  const DaemonProcess daemon;
  EXPECT_EQ(ask_http(daemon.port(), "GET /v1/alignatt HTTP/1.1").status, 426);
  const HttpAnswer answer =
      ask_http(daemon.port(), "GET /v1/alignatt?channel=a%2Fb HTTP/1.1", kUpgrade);
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("channel must be a name of 1 to 64 characters"));
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
