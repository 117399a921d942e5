// WhisperLiveKit's WebSocket, /asr, in both of its modes.
//   {"type": "config", "useAudioWorklet", "mode"}    the first message of a session
//   full: {"status", "lines": [{"speaker", "text", "start", "end", "translation"}],
//          "buffer_transcription", "buffer_diarization", "buffer_translation",
//          "remaining_time_..."}
//     All lines of the session. The text of the last line grows, and words in lines stay. Times are
//     H:MM:SS.cc. Speaker -2 is silence, without text. The buffers follow the last line: words
//     without a speaker yet, then words that may change. The server itself waits until two results
//     agree, so that lines are what it has committed.
//   diff: {"type": "snapshot", "seq", ...}           as above
//         {"type": "diff", "seq", "n_lines", "lines_pruned", "new_lines", ...}
//     "lines_pruned" lines are removed at the front and "new_lines" replace those at the end, so
//     that there are "n_lines". A line that grew is a new line. Old lines are also removed.
//   {"type": "ready_to_stop"}                        all sound was recognised
//   An error is a message with the field "error".
#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/json_recogniser.h"
#include "daemon/recognisers/word_overlap.h"
#include "model/text/ascii.h"
#include "model/text/speech_marks.h"
#include "model/text/tokenizer.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

namespace json = boost::json;

// Parses "0:01:02.50".
std::optional<double> parse_time(std::string_view text) {
  double seconds = 0;
  for (std::size_t parts = 1; parts <= 3; ++parts) {
    double part = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), part, std::chars_format::fixed);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc() || !(part >= 0)) {
      return std::nullopt;
    }
    seconds = seconds * 60 + part;
    if (text.empty()) {
      return MessageBuilder::round_to_milliseconds(seconds);
    }
    if (text.front() != ':') {
      return std::nullopt;
    }
    text.remove_prefix(1);
  }
  return std::nullopt;
}

struct Line {
  std::int64_t speaker = 1;
  std::string text;
  std::string start;
  MessageBuilder::Time end;
};

constexpr std::size_t kMinRepeated = 12;  // bytes; fewer are often equal by chance

std::string without_space(std::string_view text) {
  std::string squeezed;
  std::copy_if(text.begin(), text.end(), std::back_inserter(squeezed),
               [](char c) { return !is_space(c); });
  return squeezed;
}

// Returns the position after this number of bytes that are no white space.
std::size_t position_after(std::string_view text, std::size_t count) {
  std::size_t position = 0;
  for (; count > 0 && position < text.size(); ++position) {
    count -= is_space(text[position]) ? 0 : 1;
  }
  return position;
}

std::size_t words_of(const std::vector<Line>& lines) {
  std::size_t words = 0;
  for (const Line& line : lines) {
    words += split_words(line.text).size();
  }
  return words;
}

// Returns the position after this number of words, in the joined text of the lines.
std::size_t position_after_words(const std::vector<Line>& lines, std::size_t count) {
  std::size_t begin = 0;
  for (const Line& line : lines) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (count <= words.size()) {
      return count == 0
                 ? begin
                 : begin + static_cast<std::size_t>(words[count - 1].data() +
                                                    words[count - 1].size() - line.text.data());
    }
    count -= words.size();
    begin += line.text.size();
  }
  return begin;
}

class WhisperLiveKit : public JsonRecogniser {
 public:
  WhisperLiveKit(const RecogniserSettings& settings, MessageBuilder& builder)
      : JsonRecogniser(settings, builder, "whisperlivekit"), on_hint_(settings.on_hint) {}

 private:
  void on_message(JsonFields& message) override {
    const std::string type = message.optional_text("type").value_or("");
    if (message.has("error")) {
      on_report(message, {"error"});
    } else if (type == "config" || type == "ready_to_stop") {
      end_session();
    } else if (type == "diff") {
      on_diff(message);
    } else if (message.has("lines")) {
      on_state(message, lines_of(message, "lines"));
    } else {
      skip("the message must have one of the fields lines and type");
    }
  }

  void on_end() override { end_session(); }

  void on_diff(JsonFields& message) {
    const std::size_t pruned = count_of(message, "lines_pruned");
    const std::size_t total = count_of(message, "n_lines");
    std::vector<Line> added = lines_of(message, "new_lines");
    std::vector<Line> lines(
        lines_.begin() + static_cast<std::ptrdiff_t>(std::min(pruned, lines_.size())),
        lines_.end());
    lines.resize(std::min(lines.size(), total - std::min(total, added.size())));
    std::move(added.begin(), added.end(), std::back_inserter(lines));
    on_state(message, std::move(lines));
  }

  static std::size_t count_of(JsonFields& message, std::string_view key) {
    const std::int64_t count = message.optional_whole_number(key).value_or(0);
    if (count < 0) {
      message.fail(key, "0 or more");
      return 0;
    }
    return static_cast<std::size_t>(count);
  }

  static std::vector<Line> lines_of(JsonFields& message, std::string_view key) {
    std::vector<Line> lines;
    for (const json::object* object : message.objects(key)) {
      JsonFields fields(*object, "a line");
      Line line;
      line.speaker = fields.optional_whole_number("speaker").value_or(line.speaker);
      line.text = fields.optional_text("text").value_or("");
      line.start = fields.optional_text("start").value_or("");
      if (const auto end = fields.optional_text("end")) {
        line.end = parse_time(*end);
        if (!line.end) {
          fields.fail("end", "a time such as \"0:01:02.50\"");
        }
      }
      message.adopt_error(fields);
      lines.push_back(std::move(line));
    }
    return lines;
  }

  void on_state(JsonFields& message, std::vector<Line> lines) {
    const std::string unassigned = message.optional_text("buffer_diarization").value_or("");
    const std::string unstable = message.optional_text("buffer_transcription").value_or("");
    if (message.error()) {
      return;
    }
    std::string text;
    for (const Line& line : lines) {
      text += line.text;
    }
    const bool same_beginning =
        !lines.empty() && !lines_.empty() && lines.front().start == lines_.front().start;
    send(lines, continuation(lines, text, same_beginning));
    lines_ = std::move(lines);
    text_ = std::move(text);
    time_ = lines_.empty() ? time_ : lines_.back().end;
    rest_ = unassigned + unstable;
    if (is_last_word_complete()) {
      builder().end_word();
    }
  }

  // Returns the position in `text` up to which its words were sent. White space does not count:
  // late diarisation divides lines and joins them.
  std::size_t continuation(const std::vector<Line>& lines, const std::string& text,
                           bool same_beginning) {
    const std::string before = without_space(text_);
    const std::string now = without_space(text);
    if (now.starts_with(before)) {
      return position_after(text, before.size());
    }
    const std::size_t repeated = repeated_bytes(before, now);
    if (!same_beginning || repeated >= kMinRepeated) {
      return position_after(text, repeated);
    }
    if (!std::exchange(noticed_, true)) {
      on_hint_("whisperlivekit changed words of a line; their translation stays as it is");
    }
    return position_after_words(lines, words_of(lines_));
  }

  // Sends the words of the lines from `first` on. Another speaker and a silence end the sentence.
  void send(const std::vector<Line>& lines, std::size_t first) {
    std::size_t begin = 0;  // of the line
    std::int64_t speaker = lines.empty() ? 0 : lines.front().speaker;
    for (const Line& line : lines) {
      if (std::exchange(speaker, line.speaker) != line.speaker && begin >= first) {
        builder().end_sentence();
      }
      const std::size_t sent = std::min(first - std::min(first, begin), line.text.size());
      builder().text(std::string_view(line.text).substr(sent), line.end);
      begin += line.text.size();
    }
  }

  // The next text of a line may continue a word, as in "Schalter" and "-Medien". A text that begins
  // with a space after it shows that it does not.
  bool is_last_word_complete() const {
    return (!rest_.empty() && is_space(rest_.front())) || (!text_.empty() && ends_with_stop(text_));
  }

  void end_session() {
    if (!rest_.empty()) {
      builder().end_word();
      builder().text(rest_, time_);
    }
    builder().end_sentence();
    lines_.clear();
    text_.clear();
    rest_.clear();
  }

  const std::function<void(const std::string&)> on_hint_;
  std::vector<Line> lines_;    // of the last message
  std::string text_;           // of these lines
  MessageBuilder::Time time_;  // of its end
  std::string rest_;           // the words after the lines
  bool noticed_ = false;
};

}  // namespace

std::unique_ptr<Recogniser> make_whisperlivekit(const RecogniserSettings& settings,
                                                MessageBuilder& builder) {
  return std::make_unique<WhisperLiveKit>(settings, builder);
}

Match sniff_whisperlivekit(const json::object& message, int /*lines*/) {
  if (message.contains("buffer_transcription") || message.contains("useAudioWorklet")) {
    return Match::kYes;
  }
  return text_field(message, "type") == "ready_to_stop" ? Match::kYes : Match::kNo;
}

}  // namespace surtitle
