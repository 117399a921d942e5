#include "daemon/channels/transcript.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/base/utc_time.h"
#include "model/text/unspaced.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::size_t kNotes = 1000;

// Returns one write with the whole text of a finished sentence.
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

std::string TranscriptSentence::source_text() const {
  std::string text;
  for (const protocol::SourceMessage& words : source) {
    text.append(space_between(text, words.text)).append(words.text);
  }
  return text;
}

double TranscriptSentence::begin() const {
  return source.empty() ? 0 : source.front().time.value_or(0);
}

double TranscriptSentence::end() const {
  return source.empty() ? 0 : source.back().time.value_or(0);
}

bool TranscriptSentence::finished() const {
  return !renderings.empty() && std::all_of(renderings.begin(), renderings.end(),
                                            [](const auto& one) { return one.second.finished; });
}

void Transcript::add(const protocol::ServerMessage& message) {
  const std::int64_t event = protocol::event_of(message);
  last_event_ = std::max(last_event_, event);
  if (const auto* words = std::get_if<protocol::SourceMessage>(&message)) {
    sentence(words->sentence, event).source.push_back(*words);
  } else if (const auto* write = std::get_if<protocol::Write>(&message)) {
    sentence(write->sentence, event).renderings[write->track].writes.push_back(*write);
  } else if (const auto* end = std::get_if<protocol::Sentence>(&message)) {
    sentence(end->sentence, event).renderings[end->track].finished = *end;
    while (sentences_.size() > max_sentences_ && sentences_.front().finished()) {
      trim_first();
    }
  } else {
    if (const auto* change = std::get_if<protocol::HeadingChange>(&message)) {
      set_heading(change->heading);
    }
    if (event > 0) {
      add_note(message);
    }
  }
}

void Transcript::set_heading(protocol::Heading heading) {
  heading_ = std::make_shared<const protocol::Heading>(std::move(heading));
}

void Transcript::add_note(const protocol::ServerMessage& message) {
  notes_.push_back(message);
  if (notes_.size() > kNotes) {
    trimmed_through_ =
        std::max(trimmed_through_, protocol::event_of(std::as_const(notes_.front())));
    notes_.pop_front();
  }
}

// Returns the sentence, and inserts it if it is new. Searches from the end: numbers arrive nearly
// in order, as a slow track may be behind the others.
TranscriptSentence& Transcript::sentence(int number, std::int64_t event) {
  auto place = sentences_.end();
  while (place != sentences_.begin() && std::prev(place)->number >= number) {
    --place;
  }
  if (place == sentences_.end() || place->number != number) {
    place = sentences_.insert(place, TranscriptSentence{number, {}, {}, 0, heading_});
  }
  place->last_event = std::max(place->last_event, event);
  return *place;
}

void Transcript::trim_first() {
  trimmed_through_ = std::max(trimmed_through_, sentences_.front().last_event);
  sentences_.pop_front();
}

void Transcript::shrink(std::size_t max_sentences) {
  max_sentences_ = max_sentences;
  while (sentences_.size() > max_sentences_) {
    trim_first();
  }
}

std::vector<protocol::ServerMessage> Transcript::snapshot(
    std::size_t finished, const std::optional<std::string>& track) const {
  const auto is_finished = [](const TranscriptSentence& one) { return one.finished(); };
  auto left = std::count_if(sentences_.begin(), sentences_.end(), is_finished) -
              static_cast<std::ptrdiff_t>(finished);
  std::vector<protocol::ServerMessage> messages;
  for (const TranscriptSentence& one : sentences_) {
    const bool whole = one.finished();
    if (whole && left-- > 0) {
      continue;
    }
    if (whole && !one.source.empty()) {
      protocol::SourceMessage words = one.source.back();
      words.text = one.source_text();
      messages.emplace_back(std::move(words));
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

std::optional<std::vector<protocol::ServerMessage>> Transcript::after(
    std::int64_t event, const std::optional<std::string>& track, std::size_t most) const {
  if (event < trimmed_through_ || event > last_event_ ||
      (last_event_ == 0 && !sentences_.empty())) {
    return std::nullopt;
  }
  std::vector<protocol::ServerMessage> missed;
  const auto add = [&](const auto& message) {
    if (message.event > event) {
      missed.emplace_back(message);
    }
  };
  for (const TranscriptSentence& one : sentences_) {
    if (one.last_event <= event) {
      continue;
    }
    std::for_each(one.source.begin(), one.source.end(), add);
    for (const auto& [name, rendering] : one.renderings) {
      if (!track || *track == name) {
        std::for_each(rendering.writes.begin(), rendering.writes.end(), add);
        if (rendering.finished) {
          add(*rendering.finished);
        }
      }
    }
    if (missed.size() > most) {  // the rest need not be collected
      return std::nullopt;
    }
  }
  for (const protocol::ServerMessage& note : notes_) {
    const std::optional<std::string_view> of = track_of(note);
    if (protocol::event_of(note) > event && (!of || !track || *of == *track)) {
      missed.push_back(note);
    }
  }
  if (missed.size() > most) {
    return std::nullopt;
  }
  std::sort(missed.begin(), missed.end(), [](const auto& left, const auto& right) {
    return protocol::event_of(left) < protocol::event_of(right);
  });
  return missed;
}

bool Transcript::has_track(const std::string& track) const {
  return std::any_of(sentences_.begin(), sentences_.end(),
                     [&](const TranscriptSentence& one) { return one.renderings.contains(track); });
}

bool StreamDescription::has_track(const std::string& track) const {
  return std::any_of(tracks.begin(), tracks.end(),
                     [&](const protocol::Track& one) { return one.name == track; });
}

StreamDescription describe(const stream_log::Head& head) {
  return {head.stream, head.tracks, head.source,
          parse_utc_time(head.started).value_or(CalendarTime()), head.heading};
}

void TranscribedStream::add(const stream_log::Line& line) {
  if (const auto* head = std::get_if<stream_log::Head>(&line)) {
    description = describe(*head);
    transcript.set_heading(head->heading);
  } else if (const auto* message = std::get_if<protocol::ServerMessage>(&line)) {
    transcript.add(*message);
  }
}

TranscriptTotals totals_of(const Transcript& transcript) {
  TranscriptTotals totals;
  double last = 0;  // ms
  for (const TranscriptSentence& sentence : transcript.sentences()) {
    ++totals.sentences;
    for (const protocol::SourceMessage& words : sentence.source) {
      totals.source_words += std::ssize(split_words(words.text));
      last = std::max(last, words.taken);
    }
    for (const auto& [track, rendering] : sentence.renderings) {
      totals.words[track] += std::ssize(split_words(rendering.text()));
      last = rendering.writes.empty() ? last : std::max(last, rendering.writes.back().time);
    }
  }
  totals.seconds = last / 1000;
  return totals;
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
