// Lists the formats of recognisers by the names of `surtitle pipe --format`.
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
  // Functions that recognise the format; nullptr: not by this kind of input.
  SniffText* sniff_text;
  SniffJson* sniff_json;
};

std::span<const RecogniserFormat> recogniser_formats();

// Returns nullptr for an unknown name.
const RecogniserFormat* recogniser_format_by_name(std::string_view name);

// Makes a recogniser of this format. It skips UTF-8's byte order mark, which some programs print
// first.
std::unique_ptr<Recogniser> make_recogniser(const RecogniserFormat& format,
                                            const RecogniserSettings& settings,
                                            MessageBuilder& builder);

}  // namespace surtitle
