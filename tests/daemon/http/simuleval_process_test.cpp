// SimulEval's remote evaluation: the requests of simuleval/evaluator/remote.py, in its order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <csignal>
#include <future>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;

class SimulEval : public ::testing::Test {
 protected:
  HttpAnswer ask(const std::string& request, const std::string& body = "") const {
    return ask_http(daemon_.port(), request + " HTTP/1.1",
                    "Content-Length: " + std::to_string(body.size()) + "\r\n", body);
  }

  void reset() const { EXPECT_EQ(ask("POST /reset").status, 200); }

  void input(const std::string& word, bool finished) const {
    const std::string body = json::serialize(json::value{{"index", 0},
                                                         {"content", word},
                                                         {"finished", finished},
                                                         {"is_empty", false},
                                                         {"data_type", "text"},
                                                         {"tgt_lang", nullptr},
                                                         {"config", json::object()}});
    EXPECT_EQ(ask("PUT /input", body).status, 200);
  }

  json::object output() const {
    const HttpAnswer answer = ask("GET /output");
    EXPECT_EQ(answer.status, 200);
    return json::parse(answer.body).as_object();
  }

  // Sends a word and reads an answer in turn, as the evaluator does, until the last answer. Returns
  // "words read|answer" for each answer that is not empty.
  std::vector<std::string> evaluate(const std::vector<std::string>& words) const {
    reset();
    std::vector<std::string> answers;
    bool finished = false;
    for (std::size_t i = 0; !finished; ++i) {
      if (i < words.size()) {
        input(words[i], i + 1 == words.size());
      } else {
        ask("PUT /input", R"({"index":0,"content":[],"finished":true,"is_empty":true,)"
                          R"("data_type":null,"tgt_lang":null,"config":{}})");
      }
      const json::object segment = output();
      EXPECT_EQ(segment.size(), 7U);
      finished = segment.at("finished").as_bool();
      if (!segment.at("is_empty").as_bool()) {
        EXPECT_EQ(segment.at("data_type"), "text");
        answers.push_back(std::to_string(i + 1) + "|" +
                          std::string(segment.at("content").as_string()));
      }
    }
    return answers;
  }

  DaemonProcess daemon_{{"--default-policy", "wait-k:k=2"}};
};

TEST_F(SimulEval, ReceivesWordsOnceTheyAreComplete) {
  // The first token is written after two are read; a word is complete when the next one begins.
  EXPECT_THAT(evaluate({"aa", "bb", "cc", "dd"}), ElementsAre("3|AA", "4|BB CC DD"));
}

TEST_F(SimulEval, ResetsForEachInstance) {
  evaluate({"aa", "bb"});
  reset();
  input("cc", false);
  EXPECT_TRUE(output().at("is_empty").as_bool());
  EXPECT_THAT(evaluate({"dd"}), ElementsAre("1|DD"));
}

TEST_F(SimulEval, SentencesOfAnInstanceAreSeparatedBySpaces) {
  EXPECT_THAT(evaluate({"aa.", "bb.", "cc."}).back(), testing::EndsWith("CC."));
  std::string all;
  for (const std::string& answer : evaluate({"aa.", "bb.", "cc."})) {
    all += (all.empty() ? "" : " ") + answer.substr(2);
  }
  EXPECT_EQ(all, "AA. BB. CC.");
}

TEST_F(SimulEval, AnswersAnInstanceWithoutWords) { EXPECT_TRUE(evaluate({}).empty()); }

TEST_F(SimulEval, DoesNotDelayTheEndOfTheDaemon) {
  DaemonProcess daemon({"--drain-timeout", "3600"});
  EXPECT_EQ(ask_http(daemon.port(), "POST /reset HTTP/1.1").status, 200);
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST_F(SimulEval, RejectsASecondRequestWhileOneWaits) {
  DaemonProcess daemon({"--max-sentences", "1"});
  TestClient holding = start_stream(daemon.port());
  send(holding, protocol::Source{1, "aa", {}});
  holding.read_until("write");
  ask_http(daemon.port(), "POST /reset HTTP/1.1");
  const std::string last = R"({"content":"bb","finished":true,"is_empty":false})";
  ask_http(daemon.port(), "PUT /input HTTP/1.1",
           "Content-Length: " + std::to_string(last.size()) + "\r\n", last);
  // The sentence of the evaluation waits for the stream's, and with it one of the two requests.
  std::promise<int> first;
  std::atomic<int> answered = 0;
  std::array<std::future<int>, 2> both;
  for (std::future<int>& one : both) {
    one = std::async(std::launch::async, [&] {
      const int status = ask_http(daemon.port(), "GET /output HTTP/1.1").status;
      if (answered++ == 0) {
        first.set_value(status);
      }
      return status;
    });
  }
  EXPECT_EQ(first.get_future().get(), 409);
  send(holding, protocol::Finish());
  EXPECT_EQ(both[0].get() + both[1].get(), 409 + 200);
}

// The evaluator ignores the status of /reset and /input. An error there must therefore fail
// /output, or the evaluator would score text that was never translated.
TEST_F(SimulEval, OutputFailsIfASegmentWasRejected) {
  reset();
  input("aa", false);
  output();
  const std::string speech = R"({"content":[0.5],"finished":false,"is_empty":false})";
  EXPECT_EQ(ask("PUT /input", speech).status, 400);
  EXPECT_THAT(ask("GET /output").body, testing::HasSubstr("'content' of the segment must be text"));
  const std::string text = R"({"content":"bb","finished":true,"is_empty":false})";
  EXPECT_EQ(ask("PUT /input", text).status, 400);
  EXPECT_EQ(ask("GET /output").status, 409);
  EXPECT_THAT(evaluate({"cc"}), ElementsAre("1|CC"));
}

TEST_F(SimulEval, OutputFailsIfASegmentWasTooLarge) {
  reset();
  EXPECT_EQ(ask("PUT /input", std::string(100000, ' ')).status, 413);
  EXPECT_EQ(ask("GET /output").status, 409);
  EXPECT_THAT(evaluate({"cc"}), ElementsAre("1|CC"));
}

TEST_F(SimulEval, RejectsInvalidRequests) {
  EXPECT_EQ(ask("GET /output").status, 409);
  reset();
  EXPECT_EQ(ask("PUT /input", "words").status, 400);
  EXPECT_EQ(ask("PUT /input", "{}").status, 400);
  EXPECT_EQ(ask("GET /reset").status, 405);
  reset();
  input("xx-refuse", true);
  EXPECT_EQ(ask("GET /output").status, 500);
}

}  // namespace
}  // namespace surtitle
