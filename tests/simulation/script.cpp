#include "tests/simulation/script.h"

#include <utility>
#include <variant>

namespace surtitle {
namespace {

const std::vector<std::string> kWords{"guten", "Morgen", "heute", "sprechen", "wir",
                                      "gegen", "das",    "neue",  "Haus",     "am",
                                      "See",   "und",    "einen", "langen",   "Weg"};
const std::vector<std::string> kPolicies{"gma:delta=1", "gma:delta=3", "wait-k:k=2", "auto:lag=2",
                                         "full-sentence"};

std::string some_words(Rng& rng, int most) {
  std::string text;
  for (int i = rng.between(1, most); i > 0; --i) {
    text += (text.empty() ? "" : " ") + rng.one_of(kWords);
  }
  return text;
}

// Adds hypotheses that grow, change and become final.
void add_hypotheses(Rng& rng, std::vector<protocol::ClientMessage>& messages) {
  std::string text = some_words(rng, 2);
  for (int i = rng.between(1, 5); i > 0; --i) {
    const std::string recognised = text + (rng.chance(0.3) ? " " + rng.one_of(kWords) : "");
    messages.emplace_back(protocol::Hypothesis{
        recognised, false, {}, true, static_cast<std::int64_t>(messages.size()) + 1});
    text += " " + some_words(rng, 2);
  }
  messages.emplace_back(protocol::Hypothesis{
      text, true, {}, rng.chance(0.7), static_cast<std::int64_t>(messages.size()) + 1});
}

void add_words(Rng& rng, std::vector<protocol::ClientMessage>& messages) {
  for (int i = rng.between(1, 8); i > 0; --i) {
    const std::string text = some_words(rng, 3) + (i == 1 && rng.chance(0.8) ? "." : "");
    messages.emplace_back(
        protocol::Source{static_cast<std::int64_t>(messages.size()) + 1, text, {}});
  }
  if (rng.chance(0.2)) {
    messages.emplace_back(protocol::EndSentence{static_cast<std::int64_t>(messages.size()) + 1});
  }
}

}  // namespace

Script make_script(Rng& rng, const std::string& channel) {
  Script script;
  script.start.source = "de";
  script.start.target = "en";
  script.start.channel = channel;
  script.start.policy = rng.one_of(kPolicies);
  script.start.echo = rng.chance(0.3);
  script.start.source_form = rng.chance(0.3) ? TextForm::kSpoken : TextForm::kWritten;
  script.start.attention = rng.chance(0.2);
  if (rng.chance(0.3)) {
    script.start.tracks.push_back({"beside", {}, {}, rng.one_of(kPolicies)});
  }
  if (rng.chance(0.3)) {
    script.start.tracks.push_back({"fr", "fr", {}, rng.one_of(kPolicies)});
  }
  for (int i = rng.between(2, 8); i > 0; --i) {
    if (rng.chance(0.25)) {
      add_hypotheses(rng, script.messages);
    } else {
      add_words(rng, script.messages);
    }
  }
  return script;
}

Told told(const std::map<std::int64_t, std::string>& texts, bool exactly) {
  Told told;
  std::map<std::string, std::string> written;
  std::string taken;
  for (const auto& [event, text] : texts) {
    const auto parsed = protocol::parse_server_message(text);
    const auto* message = std::get_if<protocol::ServerMessage>(&parsed);
    if (message == nullptr) {
      continue;
    }
    if (const auto* write = std::get_if<protocol::Write>(message); write != nullptr && exactly) {
      told["track " + write->track].push_back(
          std::to_string(write->sentence) + " " + std::to_string(write->index) + " " + write->text +
          " " + std::to_string(write->read) + " " + std::to_string(write->words));
    } else if (write != nullptr) {
      written[write->track] += (write->index == 0 ? " " : "") + write->text;
    } else if (const auto* sentence = std::get_if<protocol::Sentence>(message)) {
      if (exactly) {
        told["track " + sentence->track].push_back(sentence->source + " = " + sentence->target);
      }
    } else if (const auto* source = std::get_if<protocol::SourceMessage>(message)) {
      if (exactly) {
        told["source"].push_back(std::to_string(source->sentence) + " " + source->text);
      } else {
        taken += " " + source->text;
      }
    } else if (const auto* revision = std::get_if<protocol::Revision>(message)) {
      told["revisions"].push_back(revision->committed + " = " + revision->heard);
    }
  }
  if (!taken.empty()) {
    told["source"].push_back(taken);
  }
  for (const auto& [track, text] : written) {
    told["track " + track].push_back(text);
  }
  return told;
}

bool keeps_time(const Script& script) {
  const auto keeps = [](const std::optional<std::string>& policy) {
    return !policy || !policy->starts_with("auto");
  };
  bool all = keeps(script.start.policy);
  for (const protocol::TrackRequest& track : script.start.tracks) {
    all = all && keeps(track.policy);
  }
  return all;
}

}  // namespace surtitle
