#include "daemon/replay/recognised_transcript.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "daemon/recognisers/json_in_text.h"
#include "daemon/recognisers/registry.h"
#include "daemon/translation/hypothesis_commit.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr int kMessageBytes = 1 << 20;
constexpr int kMessageWords = 2000;
constexpr std::size_t kReadBytes = 4096;

class CommittedWords {
 public:
  explicit CommittedWords(double rate) : pause_(1 / rate) {}

  void add(const protocol::ClientMessage& message) {
    if (const auto* source = std::get_if<protocol::Source>(&message)) {
      for (const std::string_view word : split_words(source->text)) {
        add(std::string(word), source->time);
      }
    } else if (const auto* hypothesis = std::get_if<protocol::Hypothesis>(&message)) {
      for (std::string& word : commit_.update(hypothesis->text, hypothesis->final).words) {
        add(std::move(word), hypothesis->time);
      }
      if (hypothesis->final && hypothesis->end_sentence) {
        end_sentence();
      }
    } else if (std::holds_alternative<protocol::EndSentence>(message)) {
      end_sentence();
    }
  }

  std::vector<TimedText> take() { return std::move(texts_); }

 private:
  void add(std::string word, std::optional<double> time) {
    const double last = texts_.empty() ? 0 : texts_.back().time;
    const double at = time ? std::max(*time, last) : last + pause_;
    texts_.push_back({at, std::move(word), 1, false, at});
  }

  void end_sentence() {
    if (!texts_.empty()) {
      texts_.back().ends_sentence = true;
    }
  }

  const double pause_;  // seconds
  HypothesisCommit commit_{protocol::kDefaultAgreement};
  std::vector<TimedText> texts_;
};

}  // namespace

bool is_recognised(std::string_view content) {
  content.remove_prefix(std::min(content.find_first_not_of(" \t\r\n"), content.size()));
  for (const RecogniserFormat& format : recogniser_formats()) {
    if (format.sniff_text != nullptr && format.sniff_text(content) == Match::kYes) {
      return format.name != "subtitles";
    }
  }
  // The first JSON usually decides: the rest of a long log is not read for it.
  JsonInText json;
  for (; !content.empty(); content.remove_prefix(std::min(kReadBytes, content.size()))) {
    for (const JsonInText::Piece& piece : json.feed(content.substr(0, kReadBytes))) {
      if (const RecogniserFormat* format = piece.is_json ? recognise_json(piece.bytes) : nullptr) {
        return format->name != "jsonl";  // timed words
      }
    }
  }
  return false;
}

TimedTranscript parse_recognised(std::string_view content, const std::string& name, double rate,
                                 std::vector<std::string>& warnings) {
  MessageBuilder builder(kMessageBytes, kMessageWords);
  const RecogniserSettings settings{name,
                                    [&](const std::string& notice) { warnings.push_back(notice); }};
  const std::unique_ptr<Recogniser> recogniser =
      make_recogniser(*recogniser_format_by_name("auto"), settings, builder);
  recogniser->feed(content);
  recogniser->finish();
  CommittedWords words(rate);
  for (const protocol::ClientMessage& message : builder.drain()) {
    words.add(message);
  }
  std::vector<TimedText> texts = words.take();
  if (texts.empty()) {
    throw std::runtime_error(name + ": the log has no words");
  }
  return make_timed_transcript(std::move(texts), rate);
}

}  // namespace surtitle
