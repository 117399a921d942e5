// The formats by name: what `surtitle pipe --format` takes.
#pragma once

#include <span>
#include <string_view>

#include "daemon/recognisers/formats.h"

namespace surtitle {

struct RecogniserFormat {
  std::string_view name;
  std::string_view help;  // one line
  MakeRecogniser* make;
  // How it is told from the others; null where it cannot be.
  BeginsLike* begins_like;
  LooksLike* looks_like;
};

std::span<const RecogniserFormat> recogniser_formats();

// Null for an unknown name.
const RecogniserFormat* recogniser_format_by_name(std::string_view name);

}  // namespace surtitle
