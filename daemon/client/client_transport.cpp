#include "daemon/client/client_transport.h"

#include <utility>

#include "daemon/net/tls.h"

namespace surtitle {

Transport client_transport(const asio::any_io_executor& executor, const WebSocketUrl& url) {
  beast::tcp_stream plain(executor);
  if (!url.tls) {
    return Transport(std::move(plain));
  }
  Transport transport(std::move(plain), client_tls(url.ca_file));
  SSL* tls = transport.native_handle();
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), url.host.c_str()) != 1) {
    SSL_set1_host(tls, url.host.c_str());
    SSL_set_tlsext_host_name(tls, url.host.c_str());
  }
  return transport;
}

std::string handshake_failure(Transport& transport, const error_code& error) {
  const long result = SSL_get_verify_result(transport.native_handle());
  return result == X509_V_OK ? error.message() + "; does the server use TLS?"
                             : std::string(X509_verify_cert_error_string(result)) +
                                   "; --ca FILE names trusted authorities";
}

}  // namespace surtitle
