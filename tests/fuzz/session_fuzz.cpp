// Fuzz target of a session with the scripted translator.
//
// The first byte chooses the policy and the options. Each further line of the input is a message.
// The output must be valid messages, lines of a stream log and transcripts.
#include <gtest/gtest.h>

#include <stdexcept>

#include "daemon/channels/transcript_formats.h"
#include "daemon/protocol/stream_log_format.h"
#include "model/util/utf8.h"
#include "tests/daemon/support/scripted_stream.h"
#include "tests/fuzz/fuzz.h"

namespace surtitle {
namespace {

constexpr std::array<const char*, 5> kPolicies{"gma:delta=1", "wait-k:k=3", "full-sentence",
                                               "local-agreement", "alignatt"};

// Requires that the joined writes of each sentence are its translation.
void check_writes(const ScriptedStream& stream) {
  std::map<int, std::string> written;
  for (const auto& write : stream.all<protocol::Write>()) {
    written[write.sentence] += write.text;
  }
  for (const auto& sentence : stream.all<protocol::Sentence>()) {
    fuzz::require(written[sentence.sentence] == sentence.target, "writes and sentence differ",
                  sentence.target);
  }
}

void check_output(const ScriptedStream& stream) {
  Transcript transcript(/*max_sentences=*/3);
  for (const Outgoing& outgoing : stream.outgoing()) {
    const std::string json = protocol::to_json(outgoing.message);
    fuzz::require(is_valid_utf8(json), "a message is not UTF-8", json);
    fuzz::require(protocol::parse_server_message(json).index() == 0,
                  "a message is rejected when it is read", json);
    if (stream_log::is_logged(outgoing.message)) {
      fuzz::require(stream_log::parse_line(json).index() == 0,
                    "a message is not a line of a stream log", json);
    }
    transcript.add(outgoing.message);
  }
  for (const bool bilingual : {false, true}) {
    double end = 0;
    for (const Cue& cue : cues_of(transcript, {TranscriptFormat::kSrt, "", bilingual})) {
      constexpr double kRounding = 1e-6;
      fuzz::require(cue.begin >= end - kRounding, "cues overlap");
      fuzz::require(cue.end - cue.begin >= 0.5 - kRounding, "a cue is too short");
      fuzz::require(cue.end - cue.begin <= 8 + kRounding, "a cue is too long");
      end = cue.end;
    }
  }
  for (const char* extension : {"vtt", "srt", "txt", "json", "html"}) {
    for (const bool bilingual : {false, true}) {
      const auto format = transcript_format_by_extension(extension).value();
      fuzz::require(is_valid_utf8(write_transcript(transcript, {format, "", bilingual})),
                    "a transcript is not UTF-8");
      TranscriptFile several("main", {format, "", bilingual, /*all=*/true});
      several.add({}, transcript);
      several.add({}, transcript);
      fuzz::require(is_valid_utf8(several.finish()), "a file of two streams is not UTF-8");
    }
  }
}

void run(std::string_view input) {
  const std::uint8_t choice = fuzz::take_byte(input);
  SessionOptions options;
  options.agreement = 1 + choice / 16 % 4;
  options.source_language = choice % 3 == 0 ? "de" : choice % 3 == 1 ? "en" : "";
  options.sentence_words = choice % 2 == 0 ? 400 : 5;
  ScriptedStream stream(kPolicies.at(choice % kPolicies.size()), options,
                        TrackSetting().sentence_tokens, {.obeys_words = false});
  while (!input.empty()) {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(line.size() + 1, input.size()));
    if (line.empty()) {  // an empty line lets time pass
      stream.wait(Seconds(0.7));
      stream.tick();
      continue;
    }
    const auto message = protocol::parse_client_message(line);
    const auto* taken = std::get_if<protocol::ClientMessage>(&message);
    if (taken == nullptr || std::holds_alternative<protocol::Configure>(*taken)) {
      continue;
    }
    if (const auto error = stream.receive(*taken)) {
      fuzz::require_one_line(error->message);
      check_output(stream);
      return;  // the stream has ended
    }
    if (choice % 3 != 0) {
      stream.tick();
    }
  }
  if (!stream.session().finished()) {
    stream.receive(protocol::Finish{});
  }
  stream.run();
  fuzz::require(stream.session().complete(), "a sentence was not translated");
  fuzz::require(stream.open_in_translator() == 0, "a sentence is still open");
  check_writes(stream);
  check_output(stream);
}

}  // namespace
}  // namespace surtitle

extern "C" int LLVMFuzzerInitialize(int* /*unused*/, char*** /*unused*/) {
  testing::GTEST_FLAG(throw_on_failure) = true;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  surtitle::run(surtitle::fuzz::text_of(data, size));
  return 0;
}
