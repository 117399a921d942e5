// A certificate of a test's own, which vouches for itself.
#pragma once

#include <string>

namespace surtitle {

struct Certificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// For localhost and 127.0.0.1, good for `days` from now on: less than 0, and it has expired.
Certificate make_certificate(const std::string& name, int days = 1);

}  // namespace surtitle
