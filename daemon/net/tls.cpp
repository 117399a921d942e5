#include "daemon/net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <map>
#include <stdexcept>
#include <utility>

#include "daemon/base/log.h"
#include "daemon/base/private_file.h"

namespace surtitle {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

// For TLS 1.2. All ciphers of TLS 1.3 are allowed.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

std::unique_ptr<ssl::context> make_context(ssl::context::method method) {
  auto context = std::make_unique<ssl::context>(method);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, kCiphers);
  // A client without fast AES may choose ChaCha20.
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // idle connections keep no buffers
  return context;
}

void fail_if(const error_code& error, const std::string& what) {
  if (error) {
    throw std::runtime_error(what + ": " + error.message());
  }
}

// Browsers reject an expired certificate. The warning reveals a renewal that failed.
void warn_where_over(const SSL_CTX* context, const std::string& file) {
  const X509* certificate = SSL_CTX_get0_certificate(context);
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0) {
    log(LogLevel::kWarning, "Certificate expired", {{"file", file}});
  }
}

}  // namespace

ServerTls::ServerTls(TlsFiles files) : files_(std::move(files)) { reload(); }

void ServerTls::reload() {
  if (files_.certificate.empty()) {
    return;
  }
  require_file_or_folder(files_.certificate);
  require_file_or_folder(files_.key);
  std::unique_ptr<ssl::context> context = make_context(ssl::context::tls_server);
  error_code error;
  // Without this callback, OpenSSL would ask for a password on the terminal.
  context->set_password_callback(
      [](std::size_t, ssl::context::password_purpose) { return std::string(); }, error);
  context->use_certificate_chain_file(files_.certificate, error);
  fail_if(error, "tls.certificate " + files_.certificate +
                     " must be a certificate as PEM without a password");
  context->use_private_key_file(files_.key, ssl::context::pem, error);
  fail_if(error, "tls.key " + files_.key + " must be the key of " + files_.certificate +
                     " as PEM without a password");
  warn_where_over(context->native_handle(), files_.certificate);
  warn_if_others_may_read(
      files_.key,
      "Certificate key file is readable by all users of this machine; run chmod 640 on it");
  context_ = std::move(context);
}

ssl::context& client_tls(const std::string& ca_file) {
  static std::map<std::string, std::unique_ptr<ssl::context>> contexts;
  std::unique_ptr<ssl::context>& context = contexts[ca_file];
  if (!context) {
    auto made = make_context(ssl::context::tls_client);
    error_code error;
    if (ca_file.empty()) {
      made->set_default_verify_paths(error);
      fail_if(error, "cannot read the system's certificates");
    } else {
      made->load_verify_file(ca_file, error);
      fail_if(error, "--ca " + ca_file + " must be a file with certificates as PEM");
    }
    made->set_verify_mode(ssl::verify_peer, error);
    context = std::move(made);
  }
  return *context;
}

}  // namespace surtitle
