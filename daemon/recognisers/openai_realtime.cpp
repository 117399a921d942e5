// OpenAI's realtime API: the server's events about input audio. Speaches and others send the same.
//   {"type": "input_audio_buffer.speech_stopped", "item_id", "audio_end_ms"}
//   {"type": "input_audio_buffer.committed", "item_id", "previous_item_id"}     an item begins
//   {"type": "conversation.item.input_audio_transcription.delta", "item_id", "delta"}
//     continues the transcript of the item; a delta does not change those before it
//   {"type": "conversation.item.input_audio_transcription.segment", "item_id", "text", "end"}
//     with speakers: the same words as the deltas, or in place of them
//   {"type": "conversation.item.input_audio_transcription.completed", "item_id", "transcript"}
//     the whole transcript; some models send no delta before it
//   {"type": "conversation.item.input_audio_transcription.failed", "item_id", "error": {"message"}}
//   {"type": "error", "error": {"message"}}
//   All others have no words. Items are recognised side by side; they are sent in the order in
//   which they began.
#include <algorithm>
#include <deque>
#include <utility>

#include "daemon/base/text.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

namespace json = boost::json;

constexpr std::string_view kTranscription = "conversation.item.input_audio_transcription.";
constexpr std::size_t kMaxWaiting = 16;  // items behind one that does not end; then it is ended
constexpr std::size_t kMaxOver = 64;     // items that are remembered after their end

struct Item {
  std::string id;
  std::string text;           // all of it so far
  std::size_t sent = 0;       // bytes of it
  MessageBuilder::Time time;  // of its end
  bool has_deltas = false;
  bool is_over = false;
};

class OpenAiRealtime : public JsonRecogniser {
 public:
  OpenAiRealtime(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "openai-realtime") {}

 private:
  void on_message(JsonFields& message) override {
    const std::string type = message.text("type");
    if (type.starts_with(kTranscription)) {
      on_transcription(message, std::string_view(type).substr(kTranscription.size()));
    } else if (type == "input_audio_buffer.speech_stopped") {
      on_speech_stopped(message);
    } else if (type == "input_audio_buffer.committed") {
      item(message.text("item_id"));
    } else if (type == "session.created") {
      on_end();
    } else if (type == "error") {
      report(message);
    }
    send();
  }

  void on_end() override {
    for (Item& waiting : items_) {
      waiting.is_over = true;
    }
    send();
  }

  void on_speech_stopped(JsonFields& message) {
    const std::string id = message.text("item_id");
    const MessageBuilder::Time end = message.optional_number("audio_end_ms");
    if (Item* stopped = message.error() || !end ? nullptr : item(id)) {
      stopped->time = *end / 1000;
    }
  }

  void on_transcription(JsonFields& message, std::string_view kind) {
    const std::string id = message.text("item_id");
    const std::string delta = message.optional_text("delta").value_or("");
    const std::string segment = message.optional_text("text").value_or("");
    const std::string transcript = message.optional_text("transcript").value_or("");
    const MessageBuilder::Time end = message.optional_number("end");
    Item* heard = message.error() ? nullptr : item(id);
    if (heard == nullptr) {
      return;
    }
    if (kind == "delta") {
      heard->has_deltas = true;
      heard->text += delta;
    } else if (kind == "segment" && !heard->has_deltas) {
      heard->text += " " + segment;
      heard->time = end;
    } else if (kind == "completed") {
      complete(*heard, transcript);
    } else if (kind == "failed") {
      report(message);
      heard->is_over = true;
    }
  }

  void report(JsonFields& message) {
    JsonFields error(message.object("error"), "error");
    on_report(error, {"message", "code", "type"});
    message.adopt_error(error);
  }

  // Words that were sent stay. Only what follows them is taken from the whole transcript.
  static void complete(Item& item, const std::string& transcript) {
    const std::string heard = join_words(split_words(item.text));
    const std::string whole = join_words(split_words(transcript));
    if (whole.starts_with(heard)) {
      item.text += whole.substr(heard.size());
    }
    item.is_over = true;
  }

  // Returns the item, which begins now if it is new, or nullptr if it is over or has no name.
  Item* item(const std::string& id) {
    if (id.empty() || std::find(over_.begin(), over_.end(), id) != over_.end()) {
      return nullptr;
    }
    const auto known = std::find_if(items_.begin(), items_.end(),
                                    [&](const Item& candidate) { return candidate.id == id; });
    if (known != items_.end()) {
      return &*known;
    }
    if (items_.size() > kMaxWaiting) {
      items_.front().is_over = true;
      send();
    }
    return &items_.emplace_back(Item{id, {}, 0, {}, false, false});
  }

  // Sends the first item as far as it is known, and those after it if it is over.
  void send() {
    while (!items_.empty()) {
      Item& first = items_.front();
      builder().text(std::string_view(first.text).substr(first.sent), first.time);
      first.sent = first.text.size();
      if (!first.is_over) {
        return;
      }
      builder().end_sentence();
      over_.push_back(std::move(first.id));
      items_.pop_front();
      if (over_.size() > kMaxOver) {
        over_.pop_front();
      }
    }
  }

  std::deque<Item> items_;        // in order
  std::deque<std::string> over_;  // items before these
};

}  // namespace

std::unique_ptr<Recogniser> make_openai_realtime(const RecogniserSettings& settings,
                                                 MessageBuilder& builder) {
  return std::make_unique<OpenAiRealtime>(settings, builder);
}

Match sniff_openai_realtime(const json::object& message, int /*lines*/) {
  const std::string_view name = text_field(message, "type");
  for (const std::string_view begin :
       {"conversation.item.", "input_audio_buffer.", "session.", "transcription_session."}) {
    if (name.starts_with(begin)) {
      return Match::kYes;
    }
  }
  return Match::kNo;
}

}  // namespace surtitle
