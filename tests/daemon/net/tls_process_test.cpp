// The daemon as a process under TLS: versions, certificates, and connections that it rejects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/ssl.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/json.hpp>
#include <csignal>
#include <filesystem>
#include <optional>

#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "daemon/net/beast.h"
#include "tests/daemon/access/certificate.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

namespace ssl = asio::ssl;
using ::testing::HasSubstr;

// A connection that trusts one certificate.
class TlsConnection {
 public:
  TlsConnection(int port, const Certificate& trusted, int newest = TLS1_3_VERSION,
                const char* ciphers = nullptr) {
    SSL_CTX_set_max_proto_version(context_.native_handle(), newest);
    if (ciphers != nullptr) {
      SSL_CTX_set_cipher_list(context_.native_handle(), ciphers);
    }
    context_.add_certificate_authority(asio::buffer(trusted.certificate));
    context_.set_verify_mode(ssl::verify_peer);
    stream_.emplace(io_, context_);
    stream_->set_verify_callback(ssl::host_name_verification("127.0.0.1"));
    stream_->next_layer().connect(
        {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)});
    stream_->handshake(ssl::stream_base::client);
  }

  ssl::stream<tcp::socket>& stream() { return *stream_; }
  std::string version() { return SSL_get_version(stream_->native_handle()); }

  std::string ask(const std::string& text) {
    asio::write(*stream_, asio::buffer(text));
    std::string answer;
    error_code ended;
    asio::read(*stream_, asio::dynamic_buffer(answer), ended);
    EXPECT_EQ(ended, asio::error::eof) << "not ended by close_notify: " << ended.message();
    return answer;
  }

 private:
  asio::io_context io_;
  ssl::context context_{ssl::context::tls_client};
  std::optional<ssl::stream<tcp::socket>> stream_;
};

const std::string kGet = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";

// A stream over TLS.
class TlsStream {
 public:
  TlsStream(int port, const Certificate& trusted)
      : connection_(port, trusted), socket_(connection_.stream()) {
    socket_.handshake("127.0.0.1:" + std::to_string(port), "/v1/stream");
    send(R"({"type": "start", "source": "de", "target": "en", "channel": "main"})");
    read_until("ready");
  }

  void send(const std::string& text) { socket_.write(asio::buffer(text)); }

  boost::json::object read_until(const std::string& type) {
    while (true) {
      beast::flat_buffer buffer;
      socket_.read(buffer);
      auto message = boost::json::parse(beast::buffers_to_string(buffer.cdata())).as_object();
      if (message.at("type").as_string() == type) {
        return message;
      }
    }
  }

  std::string translate(int seq, const std::string& text) {
    send(R"({"type": "source", "seq": )" + std::to_string(seq) + R"(, "text": ")" + text + "\"}");
    return text_of(read_until("sentence"), "target");
  }

  // Returns the close code of the server.
  int read_to_end() {
    error_code error;
    while (!error) {
      beast::flat_buffer buffer;
      socket_.read(buffer, error);
    }
    return socket_.reason().code;
  }

 private:
  TlsConnection connection_;
  websocket::stream<ssl::stream<tcp::socket>&> socket_;
};

class DaemonTls : public ::testing::Test {
 protected:
  std::vector<std::string> flags(const Certificate& certificate) const {
    return {"--tls-certificate", folder_.write("certificate.pem", certificate.certificate),
            "--tls-key", folder_.write("key.pem", certificate.key)};
  }

  TemporaryFolder folder_;
  const Certificate first_ = make_certificate("first");
};

TEST_F(DaemonTls, AnswersUnderTls) {
  DaemonProcess daemon(flags(first_));
  EXPECT_EQ(daemon.ready_line(),
            "surtitled ready on https://127.0.0.1:" + std::to_string(daemon.port()) + "/");
  TlsConnection newest(daemon.port(), first_);
  EXPECT_EQ(newest.version(), "TLSv1.3");
  EXPECT_THAT(newest.ask(kGet), HasSubstr("\r\nStrict-Transport-Security: max-age="));
  EXPECT_EQ(TlsConnection(daemon.port(), first_, TLS1_2_VERSION).version(), "TLSv1.2");
  TlsStream stream(daemon.port(), first_);
  EXPECT_EQ(stream.translate(1, "Guten Tag."), "GUTEN TAG.");
  std::string words = "viele Worte";
  for (int word = 0; word < 20; ++word) {
    words += " " + std::string(400, 'x');
  }
  words += ".";
  EXPECT_EQ(stream.translate(2, words).size(), words.size());
  stream.send(R"({"type": "finish"})");
  EXPECT_EQ(stream.read_to_end(), 1000);
}

TEST_F(DaemonTls, CutsOffAnUnfinishedHandshake) {
  std::vector<std::string> with_limit = flags(first_);
  with_limit.insert(with_limit.end(), {"--timeouts-request", "0.2"});
  const DaemonProcess daemon(with_limit);
  TlsStream stream(daemon.port(), first_);
  EXPECT_EQ(raw(daemon.port(), ""), "");
  EXPECT_EQ(raw(daemon.port(), "\x16\x03\x01\x02"), "") << "an incomplete first record";
  EXPECT_EQ(stream.translate(1, "Weiter."), "WEITER.");
}

TEST_F(DaemonTls, RejectsWeakOrUntrustedConnections) {
  const DaemonProcess daemon(flags(first_));
  EXPECT_THROW(TlsConnection(daemon.port(), first_, TLS1_1_VERSION, "ALL:@SECLEVEL=0"),
               std::exception);
  EXPECT_THROW(TlsConnection(daemon.port(), first_, TLS1_2_VERSION, "AES128-SHA"), std::exception);
  EXPECT_THROW(TlsConnection(daemon.port(), first_, TLS1_2_VERSION, "AES128-GCM-SHA256"),
               std::exception)
      << "no forward secrecy";
  EXPECT_THROW(TlsConnection(daemon.port(), make_certificate("other")), std::exception)
      << "a client that trusts another certificate";
  EXPECT_THAT(raw(daemon.port(), kGet), Not(HasSubstr("HTTP/1.1 200"))) << "without TLS";
  TlsConnection(daemon.port(), first_).ask(kGet);
}

TEST_F(DaemonTls, SendsBadUtf8BeforeItCloses) {
  const DaemonProcess daemon(flags(first_));
  TlsStream stream(daemon.port(), first_);
  stream.send("\"\xff\"");
  EXPECT_EQ(text_of(stream.read_until("error"), "code"), "bad-utf8");
  EXPECT_EQ(stream.read_to_end(), 1007);
}

TEST_F(DaemonTls, NewCertificateIsForNewConnectionsAndStreamsContinue) {
  DaemonProcess daemon(flags(first_));
  const Certificate second = make_certificate("second");
  TlsStream stream(daemon.port(), first_);
  EXPECT_EQ(stream.translate(1, "Vorher."), "VORHER.");
  flags(second);
  daemon.signal(SIGHUP);
  const auto trusted = [&](const Certificate& certificate) {
    try {
      TlsConnection(daemon.port(), certificate);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  };
  while (!trusted(second)) {
  }
  EXPECT_FALSE(trusted(first_));
  EXPECT_EQ(stream.translate(2, "Nachher."), "NACHHER.");
  const auto failures = [&] {
    const std::string all = TlsConnection(daemon.port(), second)
                                .ask(
                                    "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                    "Connection: close\r\n\r\n");
    const std::string series = "surtitle_reloads_total{result=\"failed\"} ";
    return all.substr(all.find("\n" + series) + series.size() + 1, 1);
  };
  EXPECT_EQ(failures(), "0");
  folder_.write("key.pem", first_.key);  // of another certificate
  daemon.signal(SIGHUP);
  while (failures() == "0") {
  }
  EXPECT_TRUE(trusted(second));
  EXPECT_EQ(stream.translate(3, "Immer noch."), "IMMER NOCH.");
  daemon.signal(SIGTERM);
  stream.read_to_end();
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST_F(DaemonTls, ErrorsNameItsFiles) {
  const auto error = [](std::vector<std::string> flags) {
    flags.insert(flags.end(),
                 {"--port", "0", "--models", "a", "--web",
                  SURTITLE_SOURCE_DIR "/tests/daemon/support/web", "--log-level", "error"});
    const Ended ended = DaemonProcess::run(flags);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    return ended.err;
  };
  const std::string nowhere = folder_.path("nowhere.pem");
  EXPECT_THAT(error({"--tls-certificate", nowhere, "--tls-key", nowhere}),
              HasSubstr("tls.certificate " + nowhere + " must be a certificate as PEM"));
  std::vector<std::string> mixed = flags(first_);
  folder_.write("key.pem", make_certificate("other").key);
  EXPECT_THAT(error(mixed), HasSubstr(" must be the key of "));
  EXPECT_THAT(error({"--tls-certificate", nowhere}),
              HasSubstr("tls.certificate and tls.key must be set together"));
}

TEST_F(DaemonTls, WarnsOfAKeyThatAllUsersCanRead) {
  const auto logged = [this](std::filesystem::perms mode) {
    std::vector<std::string> all = flags(first_);
    std::filesystem::permissions(folder_.path("key.pem"), mode);
    all.insert(all.end(), {"--log-level", "warning"});
    DaemonProcess daemon(all);
    TlsConnection(daemon.port(), first_);
    daemon.signal(SIGTERM);
    return daemon.wait().err;
  };
  EXPECT_EQ(logged(std::filesystem::perms{0640}), "");
  const std::string log = logged(std::filesystem::perms{0644});
  EXPECT_THAT(log, HasSubstr("Certificate key file is readable by all users of this machine; run "
                             "chmod 640 on it file=" +
                             folder_.path("key.pem") + "\n"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

TEST_F(DaemonTls, IsRequiredIfOtherMachinesCanConnect) {
  const NewToken token = make_token({"a", Roles::parse("send")});
  const std::vector<std::string> tokens{"--access-tokens", folder_.write("tokens", token.line)};
  const auto starts = [&](std::vector<std::string> flags) -> std::string {
    flags.insert(flags.end(), {"--address", "0.0.0.0"});
    try {
      const DaemonProcess daemon(flags);
      return "yes";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  const auto both = [&](std::vector<std::string> one, const std::vector<std::string>& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
  };
  EXPECT_THAT(starts({}),
              HasSubstr("address 0.0.0.0 can be reached from other machines: set tls.certificate "
                        "and tls.key, and access.tokens or access.key, or set access.open: "
                        "true\n"));
  EXPECT_THAT(starts(tokens), HasSubstr(": set tls.certificate and tls.key, or set access.open"));
  EXPECT_THAT(starts(flags(first_)), HasSubstr(": set access.tokens or access.key, or set access"));
  EXPECT_EQ(starts(both(flags(first_), tokens)), "yes");
  EXPECT_EQ(starts({"--access-open", "true"}), "yes");
  EXPECT_THAT(starts({"--access-open", "yes"}), HasSubstr("--access-open must be true or false"));
}

}  // namespace
}  // namespace surtitle
