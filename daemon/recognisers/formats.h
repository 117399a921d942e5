// Declares the formats of recognisers' output, each implemented in the file of its name.
//
// registry.h lists them by name.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <string_view>

#include "daemon/recognisers/recogniser.h"

namespace surtitle {

// The result of comparing the beginning of an input with a format.
enum class Match { kNo, kUndecided, kYes };

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
MakeRecogniser make_subtitles;
MakeRecogniser make_whisperlivekit;
MakeRecogniser make_whisper_live;
MakeRecogniser make_openai_realtime;
MakeRecogniser make_azure;
MakeRecogniser make_aws_transcribe;
MakeRecogniser make_speechmatics;
MakeRecogniser make_gladia;
MakeRecogniser make_autodetect;

// The part of sherpa-onnx for its programs for a terminal, which print lines.
MakeRecogniser make_sherpa_onnx_terminal;
// Returns whether the beginning of a line, without its end, is one of them.
bool is_sherpa_onnx_line(std::string_view begin);

// Plain words, as `auto` reads them. JSON between them is never read as words. The input continues
// in another format if it has JSON of that format, or a line that only whisper.cpp, sherpa-onnx,
// PocketSphinx or a file of subtitles has.
MakeRecogniser make_words_without_json;

// Compares the first bytes after white space. More bytes never change a kNo or kYes.
using SniffText = Match(std::string_view begin);
SniffText sniff_whisper_streaming;
SniffText sniff_whisper_streaming_server;
SniffText sniff_whisper_cpp;
SniffText sniff_pocketsphinx_text;
SniffText sniff_sherpa_onnx_text;
SniffText sniff_subtitles;

// Compares the first JSON object, which has this number of lines.
using SniffJson = Match(const boost::json::object& message, int lines);
SniffJson sniff_json_lines;
SniffJson sniff_vosk;
SniffJson sniff_simulstreaming;
SniffJson sniff_sherpa_onnx;
SniffJson sniff_pocketsphinx;
SniffJson sniff_google;
SniffJson sniff_deepgram;
SniffJson sniff_assemblyai;
SniffJson sniff_whisperlivekit;
SniffJson sniff_whisper_live;
SniffJson sniff_openai_realtime;
SniffJson sniff_azure;
SniffJson sniff_aws_transcribe;
SniffJson sniff_speechmatics;
SniffJson sniff_gladia;

}  // namespace surtitle
