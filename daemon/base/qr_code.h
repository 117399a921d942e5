// A QR code of a text, as an image for pages and as characters for a terminal.
//
// Thread-safety: immutable after construction; all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace surtitle {

class QrCode {
 public:
  // A longer text needs modules that a phone cannot read from a screen at the other end of a hall.
  static constexpr std::size_t kMaxBytes = 500;

  // Returns nullopt if the text is empty or longer than kMaxBytes.
  static std::optional<QrCode> make(std::string_view text);

  // Modules at each side, without the light margin.
  int size() const noexcept { return size_; }
  // Returns false for modules of the margin and beyond it.
  bool is_dark(int column, int row) const;

  // Returns an SVG, black on white in every theme, as some scanners read nothing else.
  std::string svg() const;
  // Returns lines of characters with two modules each, one above the other. Escape sequences set
  // the colours, so that the code is not inverted on a light terminal.
  std::string terminal_text() const;

 private:
  QrCode(int size, std::vector<bool> modules) : size_(size), modules_(std::move(modules)) {}

  int size_;
  std::vector<bool> modules_;  // [row * size_ + column]; true: dark
};

}  // namespace surtitle
