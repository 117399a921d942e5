// Lists the formats of recognisers by the names of `surtitle pipe --format`.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "daemon/recognisers/formats.h"

namespace surtitle {

// Whether the words of a format have case and punctuation.
enum class SourceForm {
  kUnchanged,  // the sender decides
  kSpoken,     // never
  kDetected,   // depends on the recogniser's model
};

struct RecogniserFormat {
  std::string_view name;
  std::string_view help;  // one line
  MakeRecogniser* make;
  // Functions that recognise the format; nullptr: not by this kind of input.
  SniffText* sniff_text;
  SniffJson* sniff_json;
  SourceForm source_form = SourceForm::kUnchanged;
};

std::span<const RecogniserFormat> recogniser_formats();

// Makes the parser of this format, and sends the form of its words.
std::unique_ptr<Recogniser> open_format(const RecogniserFormat& format,
                                        const RecogniserSettings& settings,
                                        MessageBuilder& builder);

// Returns nullptr for an unknown name.
const RecogniserFormat* recogniser_format_by_name(std::string_view name);

// Makes a recogniser of this format. It reads what text_decoder.h decodes, and fails on binary
// data.
std::unique_ptr<Recogniser> make_recogniser(const RecogniserFormat& format,
                                            const RecogniserSettings& settings,
                                            MessageBuilder& builder);

}  // namespace surtitle
