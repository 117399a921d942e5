// Certificates, and how connections are encrypted: TLS 1.2 with forward secrecy and authenticated
// ciphers alone, or 1.3.
//
// Thread-safety: none.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

namespace surtitle {

struct TlsFiles {
  std::string certificate;  // PEM, the daemon's first, then those that lead to a root
  std::string key;          // PEM, without a password
};

// The daemon's side.
class ServerTls {
 public:
  // Both files, or none: no TLS. Throws std::runtime_error, one line, where they are no pair.
  explicit ServerTls(TlsFiles files);

  // Reads the files anew, for connections to come. Throws likewise; then what was read before
  // stays.
  void reload();

  // Of new connections; nullptr where there is no TLS. A connection may outlive it.
  boost::asio::ssl::context* context() const noexcept { return context_.get(); }

 private:
  const TlsFiles files_;
  std::unique_ptr<boost::asio::ssl::context> context_;
};

// A client's side: trusts what `authorities` (a PEM file) vouch for; where it is empty, what the
// system trusts. Read once for all connections. Throws std::runtime_error, one line.
boost::asio::ssl::context& client_tls(const std::string& authorities);

}  // namespace surtitle
