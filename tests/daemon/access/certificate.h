// A certificate of a test's own, which vouches for itself.
#pragma once

#include <string>

namespace surtitle {

struct Certificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// Good for a day. `hosts`: whose it is, as OpenSSL's subjectAltName.
Certificate make_certificate(const std::string& name,
                             const std::string& hosts = "DNS:localhost,IP:127.0.0.1");

}  // namespace surtitle
