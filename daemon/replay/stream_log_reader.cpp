#include "daemon/replay/stream_log_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "daemon/base/text.h"
#include "daemon/replay/delay_tracker.h"
#include "daemon/replay/run_recorder.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr double kSpokenRate = 2.5;  // words per second, if all words of a log have the same time

// Converts a log's milliseconds to a time of the daemon's clock.
TimePoint at(double milliseconds) {
  return TimePoint() + to_duration(Seconds(milliseconds / 1000));
}

class Reader {
 public:
  Reader(std::string_view content, std::string name, std::string track)
      : content_(content), name_(std::move(name)), wanted_(std::move(track)) {}

  ReadStreamLog read() {
    while (!content_.empty() && !over_) {
      on_line();
    }
    if (number_ == 0 || log_.head.tracks.empty()) {
      fail("the log has no stream");
    }
    finish();
    return std::move(log_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(name_ + ":" + std::to_string(std::max(number_, 1)) + ": " + what);
  }

  void on_line() {
    const std::size_t end = content_.find('\n');
    const bool whole = end != std::string_view::npos;
    const std::string_view text = content_.substr(0, end);
    content_.remove_prefix(whole ? end + 1 : content_.size());
    ++number_;
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
      return;
    }
    auto line = stream_log::parse_line(text);
    if (const auto* problem = std::get_if<std::string>(&line)) {
      if (!whole && begun_) {
        log_.warnings.push_back(name_ + ":" + std::to_string(number_) +
                                ": the last line is incomplete and was skipped");
        return;
      }
      fail(*problem);
    }
    if (auto& known = std::get<std::optional<stream_log::Line>>(line)) {
      if (begun_ == std::holds_alternative<stream_log::Head>(*known)) {
        fail(begun_ ? "a second stream begins here; allowed: one stream per log"
                    : "a stream's log must begin with a line of type stream_log");
      }
      std::visit([this](const auto& one) { on_entry(one); }, *known);
    }
  }

  void on_entry(const stream_log::Head& head) {
    begun_ = true;
    log_.head = head;
    const auto track =
        std::find_if(head.tracks.begin(), head.tracks.end(),
                     [&](const protocol::Track& known) { return known.name == wanted_; });
    if (track == head.tracks.end()) {
      std::string names;
      for (const protocol::Track& known : head.tracks) {
        names += (names.empty() ? "" : ", ") + (known.name.empty() ? "the first" : known.name);
      }
      fail("the stream has no track " + in_quotes(wanted_) + "; allowed: " + names);
    }
    log_.track = *track;
  }

  void on_entry(const stream_log::SentenceEnd& end) {
    tracker_.ended(at(end.time));
    if (texts_.empty() || texts_.back().ends_sentence) {
      return;
    }
    const double time = end.time / 1000;
    if (time > texts_.back().time) {
      texts_.push_back({time, "", 0, true, texts_.back().clock});
    } else {
      texts_.back().ends_sentence = true;
    }
  }

  void on_entry(const stream_log::FormChange& change) {
    protocol::Configure configure;
    configure.source_form = change.source_form;
    changes_.push_back(configure);
  }

  void on_entry(const stream_log::End& end) {
    over_ = true;
    end_ = end;
  }

  void on_entry(const protocol::ServerMessage& message) {
    std::visit([this](const auto& one) { on_message(one); }, message);
  }

  template <class Message>
  void on_message(const Message& /*ignored*/) {}

  void on_message(const protocol::SourceMessage& source) {
    const int words = static_cast<int>(split_words(source.text).size());
    const double time = source.taken / 1000;
    if (!texts_.empty() && time < texts_.back().time) {
      fail("field 'taken' of source is earlier than on the line before; times must not decrease");
    }
    if (words == 0) {
      return;
    }
    if (source.sentence != sentence_) {
      sentence_ = source.sentence;
      words_.push_back(0);
      first_texts_[sentence_] = texts_.size();
    }
    words_.back() += words;
    texts_.push_back(
        {time, source.text, words, false, source.time.value_or(time), std::exchange(changes_, {})});
    tracker_.sent(words, at(source.taken));
    recorder_.sent(words, source.taken);
  }

  void on_message(const protocol::Write& write) {
    if (write.track == log_.track.name) {
      tracker_.received(write, at(write.time));
      recorder_.write(write, write.time);
    }
  }

  void on_message(const protocol::Sentence& sentence) {
    if (sentence.track == log_.track.name) {
      const std::vector<float> delays = tracker_.complete(sentence);
      recorder_.complete(sentence, delays);
    }
  }

  void on_message(const protocol::PolicyChange& change) {
    if (change.track != log_.track.name) {
      return;
    }
    if (change.sentence == 0) {
      log_.track.model = change.model;
      log_.track.policy = change.policy;
    } else {
      policies_[change.sentence] = change;
    }
  }

  void finish() {
    if (words_.empty()) {
      fail("the stream has no words");
    }
    if (!end_) {
      log_.warnings.push_back(name_ + ": the log ends before its stream; the rest is missing");
    }
    for (const auto& [sentence, change] : policies_) {
      const auto first = first_texts_.lower_bound(sentence);
      if (first != first_texts_.end()) {
        protocol::Configure configure;
        configure.model = change.model;
        configure.policy = change.policy;
        texts_[first->second].changes.push_back(configure);
      }
    }
    log_.transcript = make_timed_transcript(std::move(texts_), kSpokenRate);
    log_.transcript.sentences = words_;
    log_.run = {name_, log_.track.model, log_.track.policy, recorder_.sentences()};
    if (log_.run.sentences.size() < words_.size() && end_) {
      log_.warnings.push_back(name_ + ": " +
                              counted(words_.size() - log_.run.sentences.size(), "sentence") +
                              " had no complete translation when the stream ended");
    }
  }

  std::string_view content_;
  const std::string name_;
  const std::string wanted_;

  ReadStreamLog log_;
  int number_ = 0;  // of the current line
  bool begun_ = false;
  bool over_ = false;
  std::optional<stream_log::End> end_;

  std::vector<TimedText> texts_;
  int sentence_ = -1;
  std::vector<int> words_;                          // of each sentence
  std::map<int, std::size_t> first_texts_;          // of each sentence, by its number
  std::vector<protocol::Configure> changes_;        // of the source form, for the next text
  std::map<int, protocol::PolicyChange> policies_;  // by the first sentence
  DelayTracker tracker_{Seconds(0)};
  RunRecorder recorder_;
};

}  // namespace

ReadStreamLog read_stream_log(std::string_view content, const std::string& name,
                              const std::string& track) {
  return Reader(content, name, track).read();
}

}  // namespace surtitle
