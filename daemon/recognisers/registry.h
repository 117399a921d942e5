// The formats by name: what `surtitle pipe --format` takes.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "daemon/recognisers/formats.h"

namespace surtitle {

struct RecogniserFormat {
  std::string_view name;
  std::string_view help;  // one line
  MakeRecogniser* make;
  // How it is told from the others; null where it cannot be.
  SniffText* sniff_text;
  SniffJson* sniff_json;
};

std::span<const RecogniserFormat> recogniser_formats();

// Null for an unknown name.
const RecogniserFormat* recogniser_format_by_name(std::string_view name);

// A recogniser of this format. UTF-8's byte order mark, with which some programs begin their
// output, is not heard.
std::unique_ptr<Recogniser> make_recogniser(const RecogniserFormat& format,
                                            const RecogniserSettings& settings,
                                            MessageBuilder& builder);

}  // namespace surtitle
