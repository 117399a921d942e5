// LibreTranslate's API. The requests are those of its clients, byte by byte: libretranslatepy 2.1.4
// on urllib of Python 3.11, curl 7.88 with -F, and Mastodon 4.2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

#include "daemon/access/token_file.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

class Translate : public ::testing::Test {
 protected:
  HttpAnswer post(const std::string& body, const std::string& headers = "") {
    return ask_http(daemon_.port(), "POST /translate HTTP/1.1",
                    "Content-Type: application/json\r\n" + headers +
                        "Content-Length: " + std::to_string(body.size()) + "\r\n",
                    body);
  }

  json::value translated(const std::string& body) {
    const HttpAnswer answer = post(body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body).at("translatedText");
  }

  std::string error(const std::string& body, int status = 400) {
    const HttpAnswer answer = post(body);
    EXPECT_EQ(answer.status, status) << answer.body;
    return std::string(json::parse(answer.body).at("error").as_string());
  }

  DaemonProcess daemon_{{"--models", "de-en,de-fr"}};
};

// The word is split into several sentences.
TEST_F(Translate, WordLongerThanASentenceDoesNotAffectOtherTexts) {
  const std::string word(5000, 'x');
  const json::value answer =
      translated(R"({"q":[")" + word + R"(","Guten Tag.","Danke."],"source":"de","target":"en"})");
  ASSERT_EQ(answer.as_array().size(), 3U);
  const json::string& pieces = answer.at(0).as_string();
  EXPECT_EQ(std::count(pieces.begin(), pieces.end(), 'X'), 5000) << pieces;
  EXPECT_EQ(answer.at(1), "GUTEN TAG.");
  EXPECT_EQ(answer.at(2), "DANKE.");
}

TEST_F(Translate, TranslatesAText) {
  EXPECT_EQ(translated(R"({"q":"Guten Tag. Und Ihnen?","source":"de","target":"en"})"),
            "GUTEN TAG. UND IHNEN?");
  EXPECT_EQ(translated(R"({"q":"","source":"de","target":"fr","format":"text"})"), "");
}

TEST_F(Translate, KeepsLines) {
  EXPECT_EQ(translated(R"({"q":"eins zwei\n\ndrei. vier\n","source":"de","target":"en"})"),
            "EINS ZWEI\n\nDREI. VIER\n");
  EXPECT_EQ(translated(R"({"q":"  - eins\r\n\tzwei. \n","source":"de","target":"en"})"),
            "  - EINS\r\n\tZWEI. \n");
}

TEST_F(Translate, KeepsPicturesAndUnknownSignsWhereTheyAre) {
  EXPECT_EQ(translated(R"({"q":"eins ❤️ zwei 👍🏽! 😀","source":"de","target":"en"})"),
            "EINS ❤️ ZWEI 👍🏽! 😀");
  EXPECT_EQ(translated(R"({"q":"< 3 <= 5 ~ a<b","source":"de","target":"en"})"), "< 3 <= 5 ~ A<B");
}

TEST_F(Translate, TranslatesAListToAList) {
  EXPECT_EQ(translated(R"({"q":["eins","zwei."],"source":"de","target":"en"})"),
            (json::value{"EINS", "ZWEI."}));
  EXPECT_EQ(translated(R"({"q":[],"source":"de","target":"en"})"), json::array());
}

TEST_F(Translate, DetectsTheOnlySourceLanguage) {
  EXPECT_EQ(translated(R"({"q":"eins","source":"auto","target":"fr"})"), "EINS");
  EXPECT_THAT(error(R"({"q":"eins","source":"auto","target":"it"})"),
              HasSubstr("no model translates to 'it'"));
}

TEST_F(Translate, TranslatesLongTextsWithinTheLimitsOfAStream) {
  std::string q;
  std::string expected;
  for (int i = 0; i < 4000; ++i) {
    q += i % 7 == 6 ? "wort. " : "wort ";
    expected += i % 7 == 6 ? "WORT. " : "WORT ";
  }
  EXPECT_EQ(translated(R"({"q":")" + q + R"(","source":"de","target":"en"})"),
            json::string(expected));
}

TEST_F(Translate, AcceptsWhatClientsGetWrongInJson) {
  EXPECT_EQ(translated(R"({"q":"eins \ud83d zwei","source":"de","target":"en"})"),
            "EINS \uFFFD ZWEI");
  EXPECT_EQ(translated("\xEF\xBB\xBF"
                       R"({"q":"eins","source":"de","target":"en"})"),
            "EINS");
}

TEST_F(Translate, ErrorsNameTheAllowedValues) {
  EXPECT_THAT(error("q=eins"), HasSubstr("must be a form, or a JSON object in UTF-8 such"));
  EXPECT_THAT(error(R"({"source":"de","target":"en"})"), HasSubstr("field 'q'"));
  EXPECT_THAT(error(R"({"q":[1],"source":"de","target":"en"})"), HasSubstr("a list of texts"));
  EXPECT_THAT(error(R"({"q":"a","source":"de","target":"en","format":"pdf"})"),
              HasSubstr("field 'format' of the request must be text, html"));
  EXPECT_THAT(error(R"({"q":"a","source":"de","target":"it"})"),
              HasSubstr("no model translates from 'de' to 'it'"));
}

TEST_F(Translate, ReturnsATextThatIsInTheTargetLanguage) {
  EXPECT_EQ(translated(R"({"q":"eins. ","source":"de","target":"DE"})"), "eins. ");
  EXPECT_EQ(translated(R"({"q":["one","two"],"source":"en","target":"en"})"),
            (json::value{"one", "two"}));
  EXPECT_THAT(error(R"({"q":"a","source":"it","target":"it"})"),
              HasSubstr("no model translates from 'it'"));
}

TEST_F(Translate, LeavesOutControlCharacters) {
  EXPECT_EQ(translated(R"({"q":"eins\u0000 \u001b[31mzwei\u001b[0m\n\u009b1m","source":"de",)"
                       R"("target":"en"})"),
            "EINS ZWEI\n");
}

TEST_F(Translate, ReportsErrorsOfTheTranslator) {
  EXPECT_THAT(error(R"({"q":"xx-refuse.","source":"de","target":"en"})", 500),
              HasSubstr("xx-refuse was read"));
  EXPECT_EQ(translated(R"({"q":"eins","source":"de","target":"en"})"), "EINS");
  EXPECT_EQ(metric(daemon_.port(), "surtitle_streams"), 0);
}

TEST_F(Translate, RejectsForeignOrigins) {
  EXPECT_EQ(
      post(R"({"q":"a","source":"de","target":"en"})", "Origin: https://example.org\r\n").status,
      403);
}

TEST_F(Translate, ListsItsLanguages) {
  EXPECT_EQ(json::parse(ask_http(daemon_.port(), "GET /languages HTTP/1.1").body),
            json::parse(R"([{"code":"de","name":"German","targets":["en","fr"]}])"));
}

TEST(TranslateWithoutRoom, IsAnswered503) {
  DaemonProcess daemon({"--limits-streams", "1"});
  TestClient sender = start_stream(daemon.port());
  const std::string body = R"({"q":"a","source":"de","target":"en"})";
  const HttpAnswer answer =
      ask_http(daemon.port(), "POST /translate HTTP/1.1",
               "Content-Length: " + std::to_string(body.size()) + "\r\n", body);
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("the limit of 1 streams is reached"));
}

// Returns the answer's JSON. The bytes end with the request, and the client closes.
json::value sent(int port, const std::string& bytes, int status = 200) {
  const std::string answer = raw(port, bytes);
  EXPECT_THAT(answer, ::testing::StartsWith("HTTP/1.1 " + std::to_string(status)));
  EXPECT_THAT(answer, HasSubstr("Content-Type: application/json"));
  const std::size_t begin = answer.find("\r\n\r\n");
  return begin == std::string::npos ? json::value() : json::parse(answer.substr(begin + 4));
}

std::string urllib(int port, const std::string& request_line, const std::string& form) {
  return request_line +
         " HTTP/1.1\r\nAccept-Encoding: identity\r\n"
         "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " +
         std::to_string(form.size()) + "\r\nHost: 127.0.0.1:" + std::to_string(port) +
         "\r\nUser-Agent: Python-urllib/3.11\r\nConnection: close\r\n\r\n" + form;
}

std::string mastodon(int port, const std::string& request_line, const std::string& body) {
  return request_line + " HTTP/1.1\r\nUser-Agent: http.rb/5.1.1 (Mastodon/4.2.0; " +
         "+https://social.example/)\r\nHost: 127.0.0.1:" + std::to_string(port) +
         "\r\nDate: Fri, 27 Nov 2026 09:00:00 GMT\r\nAccept-Encoding: gzip\r\n"
         "Content-Type: application/json\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

class LibreTranslateClients : public ::testing::Test {
 protected:
  std::string translated(const std::string& fields) {
    const json::value answer = sent(port(), urllib(port(), "POST /translate", fields));
    return std::string(answer.at("translatedText").as_string());
  }
  // Translates HTML with Mastodon's request.
  std::string html(const std::string& text) {
    const json::value body{{"q", {text}}, {"source", "de"}, {"target", "en"}, {"format", "html"}};
    const json::value answer =
        sent(port(), mastodon(port(), "POST /translate", json::serialize(body)));
    return std::string(answer.at("translatedText").at(0).as_string());
  }
  int port() const { return daemon_.port(); }

  DaemonProcess daemon_{{"--models", "de-en,de-fr,fr-en"}};
};

TEST_F(LibreTranslateClients, LibretranslatepyTranslates) {
  EXPECT_EQ(translated("q=eins+%26+zwei%2C+100+%25.%0Adrei.&source=de&target=en"),
            "EINS & ZWEI, 100 %.\nDREI.");
  EXPECT_EQ(translated("q=&source=de&target=en"), "");
  EXPECT_EQ(translated("q=100+%25+%+%zz+%C3%BC&source=de&target=en"), "100 % % %ZZ ü");
}

TEST_F(LibreTranslateClients, LibretranslatepyDetects) {
  const json::value found =
      sent(port(),
           urllib(port(), "POST /detect", "q=Das+Parlament+hat+%C3%BCber+den+Haushalt+beraten."));
  ASSERT_EQ(found.as_array().size(), 2U);
  EXPECT_EQ(found.at(0).at("language"), "de");
  EXPECT_GT(found.at(0).at("confidence").to_number<double>(), 50);
  EXPECT_EQ(found.at(1).at("language"), "fr");
}

TEST_F(LibreTranslateClients, LibretranslatepyListsLanguages) {
  EXPECT_EQ(sent(port(), urllib(port(), "GET /languages", "")),
            json::parse(R"([{"code":"de","name":"German","targets":["en","fr"]},
                            {"code":"fr","name":"French","targets":["en"]}])"));
}

TEST_F(LibreTranslateClients, CurlSendsForms) {
  const std::string boundary = "------------------------5a7d1b1f3c2e4d60";
  std::string body;
  for (const auto& [name, value] :
       {std::pair("q", "zwei\r\n\r\ndrei."), {"source", "de"}, {"target", "en"}}) {
    body += "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" +
            value + "\r\n";
  }
  body += "--" + boundary + "--\r\n";
  const auto request = [&](const std::string& address, const std::string& form) {
    return "POST " + address + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port()) +
           "\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\nContent-Length: " +
           std::to_string(form.size()) +
           "\r\nContent-Type: multipart/form-data; boundary=" + boundary +
           "\r\nConnection: close\r\n\r\n" + form;
  };
  EXPECT_EQ(sent(port(), request("/translate", body)).at("translatedText"), "ZWEI\r\n\r\nDREI.");
  EXPECT_EQ(sent(port(), request("/detect", body)).as_array().size(), 2U);
  const json::value cut = sent(port(), request("/translate", body.substr(0, 90)), 400);
  EXPECT_THAT(std::string(cut.at("error").as_string()), HasSubstr("must end with its boundary"));
}

TEST_F(LibreTranslateClients, MastodonTranslatesTheTextBetweenTags) {
  EXPECT_EQ(html("<p>eins &amp; <b>zwei</b>\ndrei.</p><p>a &lt; b &uuml;&#246;</p>"),
            "<p>EINS &amp; <b>ZWEI</b>\nDREI.</p><p>A &lt; B üö</p>");
  EXPECT_EQ(html("kein <br/>Element < 3"), "KEIN <br/>ELEMENT &lt; 3");
  EXPECT_EQ(html(R"(<a title="a > b" href='x'>x</a><!-- y --> <span>z)"),
            R"(<a title="a > b" href='x'>X</a><!-- y --> <span>Z)");
}

TEST_F(LibreTranslateClients, PreformattedTextKeepsItsLines) {
  EXPECT_EQ(html("<pre>  eins\n    zwei</pre> drei\nvier"),
            "<pre>  EINS\n    ZWEI</pre> DREI VIER");
}

TEST_F(LibreTranslateClients, MastodonsMentionsLinksAndEmojiStayAsTheyAre) {
  const std::string mention =
      R"(<span class="h-card" translate="no"><a href="https://a.example/@anna" class="u-url mention">)"
      R"(@<span>anna</span></a></span>)";
  const std::string link =
      R"(<a href="https://b.example" translate="no"><span class="invisible">https://</span>)"
      R"(<span class="">b.example</span></a>)";
  EXPECT_EQ(html("<p>" + mention + " hallo " + link + " <span translate=\"no\">:wave:</span></p>"),
            "<p>" + mention + " HALLO " + link + " <span translate=\"no\">:wave:</span></p>");
  EXPECT_EQ(html("<code>a</code><i class='x notranslate'>b</i><script>1<2</script>c"),
            "<code>a</code><i class='x notranslate'>b</i><script>1<2</script>C");
}

TEST_F(LibreTranslateClients, MastodonLeavesTheLanguageOpen) {
  const std::string body =
      R"({"q":["<p>Das Parlament hat über den Haushalt beraten.</p>","ja"],"source":"auto",)"
      R"("target":"en","format":"html","api_key":null})";
  const json::value answer = sent(port(), mastodon(port(), "POST /translate", body));
  ASSERT_EQ(answer.at("detectedLanguage").as_array().size(), 2U);
  EXPECT_EQ(answer.at("detectedLanguage").at(1).at("language"), "de");
  EXPECT_EQ(answer.at("translatedText").at(1), "JA");
}

TEST_F(LibreTranslateClients, DetectsTheLanguageOfOneText) {
  const auto detected = [&](const std::string& q, const std::string& target) {
    const json::value answer =
        sent(port(), urllib(port(), "POST /translate", "q=" + q + "&source=auto&target=" + target));
    return std::string(answer.at("detectedLanguage").at("language").as_string());
  };
  EXPECT_EQ(detected("Le+comit%C3%A9+a+adopt%C3%A9+le+budget+de+la+ville.", "en"), "fr");
  EXPECT_EQ(detected("Der+Ausschuss+hat+den+Vorschlag+angenommen.", "en"), "de");
  EXPECT_EQ(detected("Le+comit%C3%A9+a+adopt%C3%A9+le+budget+de+la+ville.", "fr"), "fr");
}

TEST_F(LibreTranslateClients, ErrorsAreJson) {
  const std::string head = " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port()) + "\r\n";
  const auto error = [&](const std::string& bytes, int status) {
    return std::string(sent(port(), bytes, status).at("error").as_string());
  };
  EXPECT_EQ(error("POST /translate" + head + "Content-Length: 70000\r\n\r\n", 413),
            "The body is too large.");
  EXPECT_THAT(error("GET /detect" + head + "Connection: close\r\n\r\n", 405),
              HasSubstr("allowed: POST"));
  EXPECT_THAT(error(urllib(port(), "POST /translate", "source=de&target=en"), 400),
              HasSubstr("field 'q' of the request"));
  EXPECT_THAT(error(urllib(port(), "POST /translate", "q=%FF&source=de&target=en"), 400),
              HasSubstr("must be UTF-8"));
  EXPECT_THAT(error(urllib(port(), "POST /detect", "text=a"), 400), HasSubstr("field 'q'"));
}

TEST_F(LibreTranslateClients, OtherPathsAnswerInJson) {
  const auto error = [&](const std::string& path, int status) {
    const std::string bytes = urllib(port(), "POST " + path, "q=a&source=de&target=en");
    return std::string(sent(port(), bytes, status).at("error").as_string());
  };
  EXPECT_THAT(error("/suggest", 403), HasSubstr("no suggestions"));
  EXPECT_THAT(error("/translate_file", 403), HasSubstr("no files"));
  EXPECT_THAT(error("/translate/", 405), HasSubstr("allowed: GET, HEAD"));
  EXPECT_THAT(error("/download_file/a.txt", 405), HasSubstr("allowed"));
}

TEST_F(LibreTranslateClients, AskForTheHealth) {
  EXPECT_EQ(ask_http(port(), "GET /health HTTP/1.1").body, "{\"status\":\"ok\"}\n");
}

TEST_F(LibreTranslateClients, PageAsksForSettings) {
  const json::value settings =
      json::parse(ask_http(port(), "GET /frontend/settings HTTP/1.1").body);
  EXPECT_EQ(settings.at("keyRequired"), false);
  EXPECT_EQ(settings.at("charLimit"), 5000);
  EXPECT_EQ(settings.at("language").at("source").at("code"), "auto");
  EXPECT_EQ(settings.at("language").at("target"),
            (json::value{{"code", "en"}, {"name", "English"}}));
}

TEST(LibreTranslateWithTokens, ApiKeyIsTheToken) {
  const TemporaryFolder folder;
  const NewToken token = make_token({"mastodon", Roles::parse("send")});
  const DaemonProcess daemon({"--access-tokens", folder.write("tokens", token.line + "\n")});
  const int port = daemon.port();
  const std::string fields = "q=eins&source=de&target=en&api_key=";
  EXPECT_EQ(sent(port, urllib(port, "POST /translate", fields + token.token)).at("translatedText"),
            "EINS");
  EXPECT_EQ(sent(port, urllib(port, "POST /detect", "q=eins&api_key=" + token.token))
                .at(0)
                .at("language"),
            "de");
  EXPECT_EQ(sent(port, urllib(port, "GET /languages", "api_key=" + token.token)).at(0).at("name"),
            "German");
  const std::string body = R"({"q":["<p>eins</p>"],"source":"de","target":"en","format":"html",)"
                           R"("api_key":")" +
                           token.token + R"("})";
  EXPECT_EQ(sent(port, mastodon(port, "POST /translate", body)).at("translatedText").at(0),
            "<p>EINS</p>");
  sent(port, urllib(port, "POST /translate", fields + "wrong"), 401);
  sent(port, urllib(port, "POST /translate", "q=eins&source=de&target=en"), 401);
  EXPECT_EQ(json::parse(ask_http(port, "GET /frontend/settings HTTP/1.1").body).at("keyRequired"),
            true);
}

}  // namespace
}  // namespace surtitle
