// TLS contexts of the daemon and of its clients.
//
// Allowed are TLS 1.3, and TLS 1.2 with forward secrecy and authenticated ciphers.
//
// Thread-safety: none.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

namespace surtitle {

struct TlsFiles {
  std::string certificate;  // PEM: the daemon's certificate, then the chain to a root
  std::string key;          // PEM, without a password
};

// The server's side.
class ServerTls {
 public:
  // If both names are empty, there is no TLS. Throws std::runtime_error, one line, if a file cannot
  // be used or the key does not belong to the certificate.
  explicit ServerTls(TlsFiles files);

  // Reads the files again, for new connections. Throws as the constructor does, and keeps the
  // previous context then.
  void reload();

  // Returns the context of new connections, or nullptr without TLS. Connections may outlive it.
  boost::asio::ssl::context* context() const noexcept { return context_.get(); }

 private:
  const TlsFiles files_;
  std::unique_ptr<boost::asio::ssl::context> context_;
};

// Returns the client's context, which lives as long as the process. It trusts the certificates of
// `ca_file` (a PEM file), or those of the system if that is empty. They are read once for all
// connections. Throws std::runtime_error, one line.
boost::asio::ssl::context& client_tls(const std::string& ca_file);

}  // namespace surtitle
