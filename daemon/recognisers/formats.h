// The formats that recognisers speak, each in the file of its name. registry.h has them by name.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <string_view>

#include "daemon/recognisers/recogniser.h"

namespace surtitle {

// Whether the beginning of an input is of a format.
enum class Likeness { kNo, kUndecided, kYes };

using MakeRecogniser = std::unique_ptr<Recogniser>(const RecogniserSettings& settings,
                                                   MessageBuilder& builder);
MakeRecogniser make_text;
MakeRecogniser make_json_lines;
MakeRecogniser make_vosk;
MakeRecogniser make_whisper_streaming;
MakeRecogniser make_whisper_streaming_server;
MakeRecogniser make_simulstreaming;
MakeRecogniser make_whisper_cpp;
MakeRecogniser make_sherpa_onnx;
MakeRecogniser make_pocketsphinx;
MakeRecogniser make_google;
MakeRecogniser make_deepgram;
MakeRecogniser make_assemblyai;
MakeRecogniser make_automatic;

// By the first bytes behind white space. Never takes back a kNo or kYes when more bytes come.
using BeginsLike = Likeness(std::string_view begin);
BeginsLike begins_like_whisper_streaming;
BeginsLike begins_like_whisper_streaming_server;
BeginsLike begins_like_whisper_cpp;

// By the first JSON object, which stands on so many lines.
using LooksLike = Likeness(const boost::json::object& message, int lines);
LooksLike looks_like_json_lines;
LooksLike looks_like_vosk;
LooksLike looks_like_simulstreaming;
LooksLike looks_like_sherpa_onnx;
LooksLike looks_like_pocketsphinx;
LooksLike looks_like_google;
LooksLike looks_like_deepgram;
LooksLike looks_like_assemblyai;

}  // namespace surtitle
