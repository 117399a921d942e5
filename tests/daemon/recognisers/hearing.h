// The messages that a recogniser's output leads to, in a short spelling for tests.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/base/json_writer.h"
#include "daemon/recognisers/registry.h"
#include "model/text/words.h"

namespace surtitle {

// Returns the messages as text. A committed word is "Guten", or "Guten@1.5" with its time, in
// whatever message it was. A hypothesis is "~guten mor", or "~guten mor@1.5". A final one is
// "=guten morgen", or "+guten morgen" if the sentence continues. "." ends the sentence.
inline std::vector<std::string> spell(const std::vector<protocol::ClientMessage>& messages) {
  const auto at = [](const std::optional<double>& time) {
    return time ? "@" + json_number(*time) : std::string();
  };
  std::vector<std::string> spelt;
  for (const protocol::ClientMessage& message : messages) {
    if (const auto* source = std::get_if<protocol::Source>(&message)) {
      for (const std::string_view word : split_words(source->text)) {
        spelt.push_back(std::string(word) + at(source->time));
      }
    } else if (const auto* heard = std::get_if<protocol::Hypothesis>(&message)) {
      const char* kind = !heard->final ? "~" : heard->end_sentence ? "=" : "+";
      spelt.push_back(kind + heard->text + at(heard->time));
    } else if (std::holds_alternative<protocol::EndSentence>(message)) {
      spelt.emplace_back(".");
    }
  }
  return spelt;
}

class Hearing {
 public:
  explicit Hearing(std::string_view format, SpeechRule rule = {})
      : builder_(65536, 2000, std::move(rule)),
        recogniser_(make_recogniser(
            *recogniser_format_by_name(format),
            {"the input", [this](const std::string& note) { notes.push_back(note); }}, builder_)) {}

  // Each returns the messages that result from these bytes, a pause or the end of the input.
  std::vector<std::string> feed(std::string_view bytes) {
    recogniser_->feed(bytes);
    return rest();
  }
  std::vector<std::string> pause() {
    recogniser_->pause();
    return rest();
  }
  std::vector<std::string> finish() {
    recogniser_->finish();
    return rest();
  }

  // Returns the error of these bytes or of the end of the input, "" if there is none.
  std::string failure(std::string_view bytes) {
    try {
      recogniser_->feed(bytes);
      recogniser_->finish();
      return {};
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  // Returns the messages from before an error.
  std::vector<std::string> rest() {
    const std::vector<protocol::ClientMessage> messages = builder_.drain();
    for (const protocol::ClientMessage& message : messages) {
      if (const auto* configure = std::get_if<protocol::Configure>(&message)) {
        forms.push_back(*configure->source_form);
      }
    }
    return spell(messages);
  }

  std::vector<std::string> notes;
  std::vector<TextForm> forms;  // of the words, each time that it changed
  int replaced() const { return builder_.replaced(); }

 private:
  MessageBuilder builder_;
  std::unique_ptr<Recogniser> recogniser_;
};

inline std::vector<std::string> hear(std::string_view format, std::string_view bytes,
                                     SpeechRule rule = {}) {
  Hearing hearing(format, std::move(rule));
  std::vector<std::string> heard = hearing.feed(bytes);
  for (std::string& last : hearing.finish()) {
    heard.push_back(std::move(last));
  }
  return heard;
}

// Reads the same bytes in pieces of random size.
inline std::vector<std::string> hear_in_pieces(std::string_view format, std::string_view bytes,
                                               std::mt19937& random) {
  Hearing hearing(format);
  std::vector<std::string> all;
  const auto take = [&](const std::vector<std::string>& heard) {
    all.insert(all.end(), heard.begin(), heard.end());
  };
  const std::size_t longest = 1 + random() % 60;
  while (!bytes.empty()) {
    const std::size_t length = std::min<std::size_t>(bytes.size(), 1 + random() % longest);
    take(hearing.feed(bytes.substr(0, length)));
    bytes.remove_prefix(length);
  }
  take(hearing.finish());
  return all;
}

// Returns a file of tests/data/recognisers.
inline std::string recorded(const std::string& name) {
  std::ifstream file(SURTITLE_SOURCE_DIR "/tests/data/recognisers/" + name, std::ios::binary);
  if (!file) {
    throw std::runtime_error(name + " cannot be read");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace surtitle
