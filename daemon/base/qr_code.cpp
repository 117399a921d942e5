#include "daemon/base/qr_code.h"

#include <qrencode.h>

#include <memory>
#include <utility>

namespace surtitle {
namespace {

constexpr int kMargin = 4;  // light modules on each side, as the standard requires

}  // namespace

std::optional<QrCode> QrCode::make(std::string_view text) {
  if (text.empty() || text.size() > kMaxBytes) {
    return std::nullopt;
  }
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
      QRcode_encodeData(static_cast<int>(text.size()),
                        reinterpret_cast<const unsigned char*>(text.data()), /*version=*/0,
                        QR_ECLEVEL_M),
      QRcode_free);
  if (code == nullptr) {
    return std::nullopt;
  }
  std::vector<bool> modules(static_cast<std::size_t>(code->width) *
                            static_cast<std::size_t>(code->width));
  for (std::size_t i = 0; i < modules.size(); ++i) {
    modules[i] = (code->data[i] & 1U) != 0;
  }
  return QrCode(code->width, std::move(modules));
}

bool QrCode::is_dark(int column, int row) const {
  return column >= 0 && row >= 0 && column < size_ && row < size_ &&
         modules_[static_cast<std::size_t>(row * size_ + column)];
}

std::string QrCode::svg() const {
  const std::string side = std::to_string(size_ + 2 * kMargin);
  std::string dark;
  for (int row = 0; row < size_; ++row) {
    for (int column = 0; column < size_;) {
      int end = column;
      while (is_dark(end, row)) {
        ++end;
      }
      if (end > column) {
        const std::string width = std::to_string(end - column);
        dark += "M" + std::to_string(column + kMargin) + " " + std::to_string(row + kMargin) + "h" +
                width + "v1h-" + width + "z";
      }
      column = end + 1;
    }
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + side + " " + side +
         "\" shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h" + side + "v" + side +
         "H0z\"/><path d=\"" + dark + "\"/></svg>\n";
}

std::string QrCode::terminal_text() const {
  std::string text;
  for (int row = -kMargin; row < size_ + kMargin; row += 2) {
    text += "\x1b[40;97m";  // bright white letters, which are the light modules, on black
    for (int column = -kMargin; column < size_ + kMargin; ++column) {
      const bool upper = is_dark(column, row);
      const bool lower = is_dark(column, row + 1) || row + 1 == size_ + kMargin;
      text += upper ? (lower ? " " : "\u2584") : (lower ? "\u2580" : "\u2588");
    }
    text += "\x1b[0m\n";
  }
  return text;
}

}  // namespace surtitle
