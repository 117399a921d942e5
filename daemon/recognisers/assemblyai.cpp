// AssemblyAI's streaming API, v3.
//   {"type": "Begin", "id", "expires_at"}
//   {"type": "Turn", "turn_order", "turn_is_formatted", "end_of_turn", "transcript", "utterance",
//    "end_of_turn_confidence", "words": [{"start", "end", "text", "confidence", "word_is_final"}]}
//     "words" has all words of the turn, "transcript" the final ones; times in ms. With
//     format_turns, the end of a turn is sent twice: as recognised, then with case and punctuation
//     (turn_is_formatted). The second message repeats the same words.
//   {"type": "Termination", ...}    the last message
// A word that is not final may be the beginning of a longer word. The daemon allows for that: it
// commits the last word of a hypothesis only when it is final.
#include "daemon/base/text.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"

namespace surtitle {
namespace {

namespace json = boost::json;

class AssemblyAi : public JsonRecogniser {
 public:
  AssemblyAi(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "assemblyai") {}

 private:
  void on_message(JsonFields& message) override {
    if (message.has("error")) {
      return on_report(message, {"error"});
    }
    const std::string type = message.text("type");
    if (type == "Begin") {  // there may be several sessions
      builder().finalize();
      turn_ = 0;
      turn_ended_ = false;
    } else if (type == "Turn") {
      on_turn(message);
    }
  }

  void on_turn(JsonFields& message) {
    const std::int64_t turn = message.whole_number("turn_order");
    const bool ended = message.optional_flag("end_of_turn").value_or(false);
    const std::string transcript = message.optional_text("transcript").value_or("");
    MessageBuilder::Time time;
    const std::string words = words_of(message, time);
    if (message.error() || (turn == turn_ && turn_ended_)) {
      return;  // invalid, or a repetition of the turn
    }
    if (turn != turn_) {
      builder().finalize();
    }
    turn_ = turn;
    turn_ended_ = ended;
    if (ended) {
      builder().final_text(transcript.empty() ? words : transcript, time);
    } else {
      builder().hypothesis(words.empty() ? transcript : words, time);
    }
  }

  static std::string words_of(JsonFields& message, MessageBuilder::Time& time) {
    std::vector<std::string> words;
    for (const json::object* object : message.objects("words")) {
      JsonFields word(*object, "a word");
      words.push_back(word.optional_text("text").value_or(""));
      if (const auto end = word.optional_number("end")) {
        time = *end / 1000;
      }
      message.adopt_error(word);
    }
    return join_words(words);
  }

  std::int64_t turn_ = 0;
  bool turn_ended_ = false;
};

}  // namespace

std::unique_ptr<Recogniser> make_assemblyai(const RecogniserSettings& settings,
                                            MessageBuilder& builder) {
  return std::make_unique<AssemblyAi>(settings, builder);
}

Match sniff_assemblyai(const json::object& message, int /*lines*/) {
  const std::string_view name = text_field(message, "type");
  if (name == "SpeechStarted") {  // Deepgram also sends it
    return message.contains("channel") ? Match::kNo : Match::kUndecided;
  }
  return name == "Begin" || name == "Turn" || name == "Termination" ? Match::kYes : Match::kNo;
}

}  // namespace surtitle
