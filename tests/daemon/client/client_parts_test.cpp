// The small parts of a client: addresses, outcomes, printed text.
#include <gmock/gmock.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/base/websocket_url.h"
#include "daemon/client/stream_outcome.h"
#include "daemon/client/unacked_queue.h"
#include "daemon/terminal/subtitle_printer.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// --- addresses ---

TEST(WebSocketUrl, SplitsUrls) {
  const WebSocketUrl plain = parse_websocket_url("ws://127.0.0.1:8765");
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, "8765");
  EXPECT_EQ(plain.path, "");
  const WebSocketUrl page = parse_websocket_url("http://subtitles.example.org/hall/?channel=main");
  EXPECT_EQ(page.host, "subtitles.example.org");
  EXPECT_EQ(page.port, "80");
  EXPECT_EQ(page.path, "/hall");
  EXPECT_EQ(page.query, "?channel=main");
  const WebSocketUrl six = parse_websocket_url("ws://[::1]:9");
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.authority(), "[::1]:9");
  EXPECT_EQ(parse_websocket_url("ws://[::1]").authority(), "[::1]:80");
  EXPECT_FALSE(plain.tls);
  for (const char* secure : {"wss://a/hall", "https://a/hall/"}) {
    EXPECT_TRUE(parse_websocket_url(secure).tls);
    EXPECT_EQ(parse_websocket_url(secure).authority(), "a:443");
    EXPECT_EQ(parse_websocket_url(secure).path, "/hall");
  }
}

TEST(WebSocketUrl, KeepsItsTokenOutOfMessages) {
  const WebSocketUrl url = parse_websocket_url("https://a/?channel=main&token=st.a.s%65cret");
  EXPECT_EQ(url.token, "st.a.secret");
  EXPECT_EQ(url.text, "https://a/?...");
  EXPECT_EQ(url.query, "?channel=main&token=st.a.s%65cret");
  EXPECT_EQ(parse_websocket_url("ws://a").token, "");
  try {
    parse_websocket_url("ftp://a/?token=secret");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("secret")));
  }
}

TEST(WebSocketUrl, ErrorsNameTheProblem) {
  const auto failure = [](const char* text) -> std::string {
    try {
      parse_websocket_url(text);
      return "nothing was thrown";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_THAT(failure("127.0.0.1:8765"), HasSubstr("does not begin with ws://"));
  EXPECT_THAT(failure("ftp://a"), HasSubstr("or wss://"));
  EXPECT_THAT(failure("ws://:80"), HasSubstr("has no host"));
  EXPECT_THAT(failure("ws://a:0"), HasSubstr("port"));
  EXPECT_THAT(failure("ws://a:65536"), HasSubstr("port"));
  EXPECT_THAT(failure("ws://a:8x"), HasSubstr("port"));
  EXPECT_THAT(failure("ws://::1"), HasSubstr("brackets"));
  EXPECT_THAT(failure("ws://a b"), HasSubstr("characters"));
}

// --- messages that are not acknowledged ---

// Returns all messages that are to be sent now.
std::vector<std::string> sent(UnackedQueue& queue) {
  std::vector<std::string> texts;
  for (; queue.next() != nullptr; queue.sent()) {
    texts.push_back(*queue.next());
  }
  return texts;
}

TEST(UnackedQueue, NumbersMessagesThatAreAcknowledged) {
  UnackedQueue queue;
  queue.add(protocol::Source{7, "a b", {}}, /*resumable=*/true);
  queue.add(protocol::Hypothesis{"c"}, true);
  queue.add(protocol::EndSentence{}, true);
  queue.add(protocol::Finish{}, true);
  EXPECT_THAT(sent(queue),
              ElementsAre(R"({"type":"source","seq":1,"text":"a b"})", HasSubstr(R"("seq":2)"),
                          HasSubstr(R"("seq":3)"), R"({"type":"finish"})"));
  EXPECT_EQ(queue.last_seq(), 3);
  UnackedQueue ends_with_its_connection;
  ends_with_its_connection.add(protocol::Hypothesis{"c"}, /*resumable=*/false);
  EXPECT_THAT(sent(ends_with_its_connection), ElementsAre(Not(HasSubstr("seq"))));
}

TEST(UnackedQueue, RewindsToMessagesThatAreNotStored) {
  UnackedQueue queue;
  for (const char* text : {"a", "b", "c"}) {
    queue.add(protocol::Source{0, text, {}}, true);
  }
  queue.add(protocol::Finish{}, true);
  sent(queue);
  queue.add(protocol::Source{0, "d", {}}, true);
  queue.ack(1);
  EXPECT_EQ(queue.words(), 4);
  EXPECT_EQ(queue.rewind(2), 2U);  // stored, without an acknowledgement
  EXPECT_THAT(sent(queue),
              ElementsAre(HasSubstr(R"("c")"), HasSubstr("finish"), HasSubstr(R"("d")")));
  queue.ack(3);
  EXPECT_EQ(queue.rewind(3), 2U);  // a message without a number is acknowledged with the next
  queue.ack(4);
  EXPECT_EQ(queue.words(), 0);
  EXPECT_EQ(queue.next(), nullptr);
}

TEST(UnackedQueue, KeepsNothingSentOnAStreamThatCannotBeResumed) {
  UnackedQueue queue;
  queue.add(protocol::Source{0, "a b", {}}, false);
  queue.add(protocol::Source{0, "c", {}}, false);
  queue.sent();
  queue.remove_sent();
  EXPECT_EQ(queue.words(), 1);
  EXPECT_THAT(sent(queue), ElementsAre(HasSubstr(R"("c")")));
}

// --- outcomes ---

constexpr const char* kUrl = "ws://a";

std::string failure_of(const StreamOutcome& outcome) {
  return outcome.failure(kUrl, "lost: the server is gone").value_or("none");
}

std::string bye(protocol::ByeReason reason) {
  return to_json(protocol::ServerMessage(protocol::Bye{reason}));
}

TEST(StreamOutcome, IsGoodIfTheServerFinishedAllMessages) {
  StreamOutcome outcome;
  outcome.finish_sent(0);
  outcome.receive(bye(protocol::ByeReason::kFinished));
  EXPECT_EQ(failure_of(outcome), "none");
}

TEST(StreamOutcome, IsBadIfTheServerEndsBeforeTheInput) {
  StreamOutcome outcome;
  outcome.receive(bye(protocol::ByeReason::kDraining));
  EXPECT_THAT(failure_of(outcome), HasSubstr("before the end of the input: it is shutting down"));
}

TEST(StreamOutcome, IsGoodIfAServerThatEndsHasAllMessages) {
  StreamOutcome outcome;
  outcome.finish_sent(2);
  outcome.receive(to_json(protocol::ServerMessage(protocol::Ack{1})));
  StreamOutcome other = outcome;
  other.receive(to_json(protocol::ServerMessage(protocol::Ack{2})));
  outcome.receive(bye(protocol::ByeReason::kDraining));
  other.receive(bye(protocol::ByeReason::kDraining));
  EXPECT_NE(failure_of(outcome), "none");
  EXPECT_EQ(failure_of(other), "none");
}

TEST(StreamOutcome, IsBadIfTheServerFinishedWithoutAllMessages) {
  StreamOutcome outcome;
  outcome.receive(to_json(protocol::ServerMessage(protocol::Ack{1})));
  outcome.finish_sent(2);
  outcome.receive(bye(protocol::ByeReason::kFinished));
  EXPECT_THAT(failure_of(outcome), HasSubstr("it no longer waits for the sender"));
}

TEST(StreamOutcome, HasTheErrorOfTheServerAndNotItsNotices) {
  using protocol::ErrorCode;
  StreamOutcome outcome;
  outcome.finish_sent(0);
  outcome.receive(to_json(protocol::ServerMessage(
      protocol::Error{ErrorCode::kSentenceTooLong, "the sentence is too long"})));
  EXPECT_THAT(failure_of(outcome), "the connection to ws://a was lost: the server is gone");
  outcome.receive(to_json(
      protocol::ServerMessage(protocol::Error{ErrorCode::kBadPolicy, "unknown policy 'x'"})));
  outcome.receive(bye(protocol::ByeReason::kError));
  EXPECT_EQ(failure_of(outcome), "unknown policy 'x'");
}

TEST(StreamOutcome, IsBadIfTheServerSendsNoMessagesOfTheProtocol) {
  StreamOutcome outcome;
  EXPECT_EQ(outcome.receive("hello"), std::nullopt);
  EXPECT_THAT(failure_of(outcome), HasSubstr("an invalid message of surtitle.v1"));
}

// --- printed text ---

TEST(Wrap, FillsLinesWithWords) {
  EXPECT_THAT(wrap("eins zwei  drei", 9), ElementsAre("eins zwei", "drei"));
  EXPECT_THAT(wrap("äöü äöü", 7), ElementsAre("äöü äöü"));
  EXPECT_THAT(wrap("今天很好，明天也好。", 10), ElementsAre("今天很好，", "明天也好。"));
  EXPECT_THAT(wrap("今天 OK", 7), ElementsAre("今天 OK"));
  EXPECT_THAT(wrap("überlanges wort", 4), ElementsAre("überlanges", "wort"));
  EXPECT_THAT(wrap("", 4), IsEmpty());
}

class SubtitlePrinterTest : public ::testing::Test {
 protected:
  ~SubtitlePrinterTest() override { std::fclose(file_); }

  // Returns the text that was printed since the last call.
  std::string printed() {
    std::string text(static_cast<std::size_t>(std::ftell(file_)), '\0');
    std::rewind(file_);
    text.resize(std::fread(text.data(), 1, text.size(), file_));
    std::rewind(file_);
    return text;
  }

  static protocol::Write write(const std::string& text) { return {0, 0, text, 0, 0, 0}; }
  static protocol::Sentence sentence(const std::string& source, const std::string& target) {
    return {0, source, target, {}, {}};
  }

  std::FILE* file_ = std::tmpfile();
};

TEST_F(SubtitlePrinterTest, WritesALineForEachSentence) {
  SubtitlePrinter printer(file_, SubtitlePrinter::Style::kPlain);
  printer.source("Guten Morgen.");
  printer.write(write("Good"));
  EXPECT_EQ(printed(), "Good");
  printer.write(write(" morning."));
  printer.sentence(sentence("Guten Morgen.", "Good morning."));
  EXPECT_EQ(printed(), " morning.\n");
  printer.finish();
  EXPECT_EQ(printed(), "");
  printer.write(write("So"));
  printer.finish();
  EXPECT_EQ(printed(), "So\n");
}

TEST_F(SubtitlePrinterTest, RedrawsTheSentenceInPlace) {
  SubtitlePrinter printer(file_, SubtitlePrinter::Style::kScreen);
  printer.source("Guten");
  EXPECT_EQ(printed(), "\r\x1b[J\x1b[2mGuten\x1b[0m");
  printer.write(write("Good"));
  EXPECT_EQ(printed(), "\r\x1b[J\x1b[2mGuten\x1b[0m\n\x1b[1mGood\x1b[0m");
  printer.source("Morgen. Und");
  EXPECT_EQ(printed(), "\r\x1b[1A\x1b[J\x1b[2mGuten Morgen. Und\x1b[0m\n\x1b[1mGood\x1b[0m");
  printer.sentence(sentence("Guten Morgen.", "Good morning."));
  EXPECT_EQ(printed(),
            "\r\x1b[1A\x1b[J\x1b[2mGuten Morgen.\x1b[0m\n\x1b[1mGood morning.\x1b[0m\n\n"
            "\r\x1b[J\x1b[2mUnd\x1b[0m");
}

TEST_F(SubtitlePrinterTest, NeverDrawsMoreThanTheScreenHolds) {
  SubtitlePrinter printer(file_, SubtitlePrinter::Style::kScreen);
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "Wort ";
  }
  printer.source(text);
  const std::string drawn = printed();
  EXPECT_LE(std::count(drawn.begin(), drawn.end(), '\n'), 23);
}

}  // namespace
}  // namespace surtitle
