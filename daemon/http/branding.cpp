#include "daemon/http/branding.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "model/util/utf8.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLogo = 512 * 1024;  // bytes
constexpr std::string_view kPngBegin = "\x89PNG\r\n\x1a\n";

// Returns the type of a logo, or "" if it is neither an SVG nor a PNG.
std::string_view logo_type(std::string_view content) {
  constexpr std::size_t kHead = 4096;  // with the comments of a drawing program
  const bool is_svg =
      is_valid_utf8(content) && content.substr(0, kHead).find("<svg") != std::string_view::npos;
  return content.starts_with(kPngBegin) ? "image/png" : is_svg ? "image/svg+xml" : "";
}

Branding::Logo read_logo(const std::string& file) {
  const std::string rule = "pages.logo: " + file +
                           " must be an SVG or PNG file of at most 512 KiB that this user can read";
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kMaxLogo || error) {
    throw std::runtime_error(rule);
  }
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  Branding::Logo logo{{}, std::move(content).str()};
  logo.content_type = logo_type(logo.content);
  if (!in || logo.content.size() > kMaxLogo || logo.content_type.empty()) {
    throw std::runtime_error(rule);
  }
  return logo;
}

// Returns WCAG's relative luminance of "#rrggbb".
double luminance(std::string_view colour) {
  constexpr std::array<double, 3> kWeights{0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    int value = 0;
    const char* digits = colour.data() + 1 + 2 * i;
    std::from_chars(digits, digits + 2, value, 16);
    const double part = value / 255.0;
    sum += kWeights[i] * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

// Returns black or white, whichever has the higher contrast on the colour: at least 4.5 on any.
std::string_view text_on(std::string_view colour) {
  constexpr double kFlare = 0.05;  // of WCAG's contrast ratio
  const double light = luminance(colour) + kFlare;
  return light / kFlare >= (1 + kFlare) / light ? "#000" : "#fff";
}

}  // namespace

Branding::Branding(const std::string& logo, const std::string& accent) {
  if (!accent.empty()) {
    style_ +=
        ":root { --accent: " + accent + "; --on-accent: " + std::string(text_on(accent)) + "; }\n";
  }
  if (!logo.empty()) {
    logo_ = read_logo(logo);
    style_ += ".logo { background-image: url(\"logo\"); display: block; }\n";
  }
}

}  // namespace surtitle
