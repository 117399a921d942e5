// A self-signed certificate for tests.
#pragma once

#include <string>

namespace surtitle {

struct Certificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// Returns a certificate that is valid for a day. `hosts`: in OpenSSL's form of subjectAltName.
Certificate make_certificate(const std::string& name,
                             const std::string& hosts = "DNS:localhost,IP:127.0.0.1");

}  // namespace surtitle
