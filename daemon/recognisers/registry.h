// Lists the formats of recognisers by the names of `surtitle pipe --format`.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
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

// Makes the parser of this format for decoded text, and sends the form of its words.
std::unique_ptr<Recogniser> open_format(const RecogniserFormat& format,
                                        const RecogniserSettings& settings,
                                        MessageBuilder& builder);

// As open_format(), for a format that `auto` has recognised. Reports the format as a notice.
std::unique_ptr<Recogniser> open_recognised_format(const RecogniserFormat& format,
                                                   const RecogniserSettings& settings,
                                                   MessageBuilder& builder);

// Returns the format of a JSON object that has this number of lines, or nullptr. `undecided`: it
// may be of several formats.
struct JsonFormat {
  const RecogniserFormat* format = nullptr;
  bool undecided = false;
};
JsonFormat recognise_json(const boost::json::object& message, int lines);
// Returns the format of JSON that may be an array of messages, or nullptr.
const RecogniserFormat* recognise_json(const std::string& json);

// Returns nullptr for an unknown name.
const RecogniserFormat* recogniser_format_by_name(std::string_view name);

// Makes a recogniser for bytes from outside: it decodes them (text_decoder.h) and fails on binary
// data. Callers outside this folder use this one.
std::unique_ptr<Recogniser> make_recogniser(const RecogniserFormat& format,
                                            const RecogniserSettings& settings,
                                            MessageBuilder& builder);

}  // namespace surtitle
