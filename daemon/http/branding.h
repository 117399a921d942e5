// The logo and the accent colour of an event, which its pages show.
//
// The pages load /branding.css, which has the accent colour and the URL of the logo, /logo.
//
// Thread-safety: immutable after construction; share it freely.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace surtitle {

class Branding {
 public:
  // Reads the file `logo`, an SVG or a PNG; "": none. `accent`: "#0a6b3c", "": none. Throws
  // std::runtime_error, one sentence with the file and what is allowed. REQUIRES: check_accent()
  // accepts `accent`.
  Branding(const std::string& logo, const std::string& accent);

  struct Logo {
    std::string_view content_type;
    std::string content;
  };
  const std::optional<Logo>& logo() const noexcept { return logo_; }
  const std::string& style() const noexcept { return style_; }

 private:
  std::optional<Logo> logo_;
  std::string style_;
};

}  // namespace surtitle
