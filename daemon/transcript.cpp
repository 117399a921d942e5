#include "daemon/transcript.h"

#include <algorithm>
#include <iterator>

namespace surtitle {
namespace {

// One write that stands for all of a finished sentence's.
protocol::Write joined(const Rendering& rendering) {
  protocol::Write write = rendering.writes.back();
  write.index = 0;
  write.text = rendering.text();
  return write;
}

void add_rendering(const Rendering& rendering, bool whole,
                   std::vector<protocol::ServerMessage>& messages) {
  if (whole && !rendering.writes.empty()) {
    messages.emplace_back(joined(rendering));
  } else {
    messages.insert(messages.end(), rendering.writes.begin(), rendering.writes.end());
  }
  if (rendering.finished) {
    messages.emplace_back(*rendering.finished);
  }
}

}  // namespace

std::string Rendering::text() const {
  std::string text;
  for (const protocol::Write& write : writes) {
    text += write.text;
  }
  return text;
}

std::string SaidSentence::source_text() const {
  std::string text;
  for (const protocol::SourceWords& words : source) {
    text += (text.empty() ? "" : " ") + words.text;
  }
  return text;
}

bool SaidSentence::finished() const {
  return !renderings.empty() && std::all_of(renderings.begin(), renderings.end(),
                                            [](const auto& one) { return one.second.finished; });
}

void Transcript::take(const protocol::ServerMessage& message) {
  if (const auto* words = std::get_if<protocol::SourceWords>(&message)) {
    sentence(words->sentence).source.push_back(*words);
  } else if (const auto* write = std::get_if<protocol::Write>(&message)) {
    sentence(write->sentence).renderings[write->track].writes.push_back(*write);
  } else if (const auto* end = std::get_if<protocol::Sentence>(&message)) {
    sentence(end->sentence).renderings[end->track].finished = *end;
    forget_oldest();
  }
}

// They come nearly in order: a slow track may still be at an earlier one.
SaidSentence& Transcript::sentence(int number) {
  auto place = sentences_.end();
  while (place != sentences_.begin() && std::prev(place)->number >= number) {
    --place;
  }
  if (place == sentences_.end() || place->number != number) {
    place = sentences_.insert(place, SaidSentence{number, {}, {}});
  }
  return *place;
}

void Transcript::forget_oldest() {
  while (sentences_.size() > most_sentences_ && sentences_.front().finished()) {
    sentences_.pop_front();
  }
}

std::vector<protocol::ServerMessage> Transcript::snapshot(
    std::size_t finished, const std::optional<std::string>& track) const {
  const auto is_finished = [](const SaidSentence& one) { return one.finished(); };
  auto left = std::count_if(sentences_.begin(), sentences_.end(), is_finished) -
              static_cast<std::ptrdiff_t>(finished);
  std::vector<protocol::ServerMessage> messages;
  for (const SaidSentence& one : sentences_) {
    const bool whole = one.finished();
    if (whole && left-- > 0) {
      continue;
    }
    if (whole && !one.source.empty()) {
      messages.emplace_back(protocol::SourceWords{one.number, one.source_text(),
                                                  one.source.back().time, one.source.back().taken});
    } else {
      messages.insert(messages.end(), one.source.begin(), one.source.end());
    }
    for (const auto& [name, rendering] : one.renderings) {
      if (!track || *track == name) {
        add_rendering(rendering, whole, messages);
      }
    }
  }
  return messages;
}

bool Transcript::has_track(const std::string& track) const {
  return std::any_of(sentences_.begin(), sentences_.end(),
                     [&](const SaidSentence& said) { return said.renderings.contains(track); });
}

std::optional<std::string_view> track_of(const protocol::ServerMessage& message) {
  return std::visit(
      [](const auto& one) -> std::optional<std::string_view> {
        if constexpr (requires { one.track; }) {
          return one.track;
        } else {
          return std::nullopt;
        }
      },
      message);
}

}  // namespace surtitle
