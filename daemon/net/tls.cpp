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

// Of TLS 1.2; those of 1.3 are all good.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

std::unique_ptr<ssl::context> make_context(ssl::context::method method) {
  auto context = std::make_unique<ssl::context>(method);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, kCiphers);
  // Whoever has slow AES may take ChaCha20. An idle connection keeps no buffers.
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  return context;
}

void fail_if(const error_code& error, const std::string& what) {
  if (error) {
    throw std::runtime_error(what + ": " + error.message());
  }
}

// Browsers turn away from it, and renewals that failed should be seen here first.
void warn_where_over(const SSL_CTX* context, const std::string& file) {
  const X509* certificate = SSL_CTX_get0_certificate(context);
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0) {
    log(LogLevel::kWarning, "the certificate has expired", {{"file", file}});
  }
}

}  // namespace

ServerTls::ServerTls(TlsFiles files) : files_(std::move(files)) { reload(); }

void ServerTls::reload() {
  if (files_.certificate.empty()) {
    return;
  }
  refuse_pipe(files_.certificate);
  refuse_pipe(files_.key);
  std::unique_ptr<ssl::context> context = make_context(ssl::context::tls_server);
  error_code error;
  // No terminal is asked for a password: the daemon has none.
  context->set_password_callback(
      [](std::size_t, ssl::context::password_purpose) { return std::string(); }, error);
  context->use_certificate_chain_file(files_.certificate, error);
  fail_if(error, "tls.certificate " + files_.certificate +
                     " is no certificate that can be used, as PEM without a password");
  context->use_private_key_file(files_.key, ssl::context::pem, error);
  fail_if(error, "tls.key " + files_.key + " is no key that belongs to " + files_.certificate +
                     ", as PEM without a password");
  warn_where_over(context->native_handle(), files_.certificate);
  warn_where_others_read(files_.key,
                         "everybody on this machine can read the key of the certificate; chmod 640 "
                         "keeps them out");
  context_ = std::move(context);
}

ssl::context& client_tls(const std::string& authorities) {
  static std::map<std::string, std::unique_ptr<ssl::context>> contexts;
  std::unique_ptr<ssl::context>& context = contexts[authorities];
  if (!context) {
    auto made = make_context(ssl::context::tls_client);
    error_code error;
    if (authorities.empty()) {
      made->set_default_verify_paths(error);
      fail_if(error, "the system's certificates cannot be read");
    } else {
      made->load_verify_file(authorities, error);
      fail_if(error, "--ca " + authorities + " holds no certificates, as PEM");
    }
    made->set_verify_mode(ssl::verify_peer, error);
    context = std::move(made);
  }
  return *context;
}

}  // namespace surtitle
