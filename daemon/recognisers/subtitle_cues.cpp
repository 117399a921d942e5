#include "daemon/recognisers/subtitle_cues.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "daemon/base/text.h"
#include "model/text/ascii.h"
#include "model/text/speech_marks.h"
#include "model/text/tokenizer.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

constexpr std::array<std::string_view, 7> kArrows{"-->", "->", "–>", "—>", "−>", "→", "--"};
constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kMaxNumber = 9;   // digits of the first cue's number
constexpr std::size_t kMaxTimes = 200;  // bytes of the first cue's times
constexpr double kInstant = 0.1;        // seconds; no speech is shorter
constexpr std::size_t kMinBegun = 3;    // words of a cue that the next one continues
constexpr int kMinRolledUp = 3;         // cues that roll up, by which captions are automatic

// Removes "01:02:03,500" or "02:03.500" from the front of `text` and returns its seconds.
std::optional<double> consume_time(std::string_view& text) {
  double seconds = 0;
  for (int part = 0; part < 3; ++part) {
    const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
    if (digits == 0 || error != std::errc()) {
      return std::nullopt;
    }
    text.remove_prefix(digits);
    seconds = seconds * 60 + number;
    if (!text.starts_with(':')) {
      break;
    }
    text.remove_prefix(1);
  }
  if (text.starts_with(',') || text.starts_with('.')) {
    text.remove_prefix(1);
    double place = 0.1;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), place /= 10) {
      seconds += (text.front() - '0') * place;
    }
  }
  return seconds;
}

// Returns the size of the arrow after a time, or 0 if there is none. In SBV, it is a comma.
std::size_t arrow_size(std::string_view rest, std::string_view time) {
  for (const std::string_view arrow : kArrows) {
    if (rest.starts_with(arrow)) {
      return arrow.size();
    }
  }
  return rest.starts_with(',') && time.find('.') != time.npos ? 1 : 0;
}

// Parses "00:00:01,000 --> 00:00:04,000 align:start". Other arrows are read as well.
std::optional<SubtitleCue> parse_times(std::string_view line) {
  line = trimmed(line);
  SubtitleCue cue;
  const std::string_view whole = line;
  const auto begin = consume_time(line);
  const std::string_view time = whole.substr(0, whole.size() - line.size());
  line = trimmed(line);
  const std::size_t arrow = time.find(':') == time.npos ? 0 : arrow_size(line, time);
  if (!begin || arrow == 0) {
    return std::nullopt;
  }
  line = trimmed(line.substr(arrow));
  const auto end = consume_time(line);
  if (!end || (!line.empty() && line.front() != ' ' && line.front() != '\t')) {
    return std::nullopt;
  }
  cue.begin = *begin;
  cue.end = std::max(*begin, *end);
  return cue;
}

constexpr std::size_t kMaxTag = 500;  // bytes

// Removes what `is_tag` accepts between `open` and `close`. Costs one step for each byte.
template <class IsTag>
std::string without(std::string_view text, std::string_view open, char close, const IsTag& is_tag) {
  std::string kept;
  while (true) {
    const std::size_t begin = std::min(text.find(open), text.size());
    kept += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) {
      return kept;
    }
    const std::size_t end = text.substr(0, kMaxTag).find(close);
    if (end != text.npos && is_tag(text.substr(open.size(), end - open.size()))) {
      text.remove_prefix(end + 1);
    } else {
      kept += text.front();
      text.remove_prefix(1);
    }
  }
}

// Removes {\an8} and other positions.
std::string without_positions(std::string_view text) {
  return without(text, "{\\", '}', [](std::string_view /*content*/) { return true; });
}

// Removes tags of form and time. A voice (<v Anna>) is kept: it is another speaker.
std::string without_tags(std::string_view text) {
  return without(text, "<", '>', [](std::string_view content) {
    return is_tag(content) && !content.starts_with("v ") && !content.starts_with("v.");
  });
}

// Replaces entities such as "&amp;".
std::string without_entities(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEntities{
      {{"&lt;", "<"},
       {"&gt;", ">"},
       {"&nbsp;", " "},
       {"&quot;", "\""},
       {"&#39;", "'"},
       {"&lrm;", ""},
       {"&rlm;", ""},
       {"&amp;", "&"}}};
  std::string replaced;
  while (!text.empty()) {
    const auto* entity = std::find_if(kEntities.begin(), kEntities.end(),
                                      [&](const auto& one) { return text.starts_with(one.first); });
    const bool found = entity != kEntities.end();
    replaced += found ? entity->second : text.substr(0, 1);
    text.remove_prefix(found ? entity->first.size() : 1);
  }
  return replaced;
}

std::string text_of(std::string_view line) {
  std::string text = without_entities(without_tags(without_positions(trimmed(line))));
  // A dash at the beginning of a line is another speaker.
  if (text.starts_with("- ") || text.starts_with("– ")) {
    text = ">> " + text.substr(text.find(' ') + 1);
  }
  return std::string(trimmed(text));
}

bool is_number(std::string_view line) {
  return !line.empty() && std::all_of(line.begin(), line.end(), is_digit);
}

bool begins_comment(std::string_view line) {
  return line.starts_with("NOTE") || line == "STYLE" || line == "REGION" ||
         line.starts_with("WEBVTT");
}

// Returns the number of lines at the beginning of `next` that are also the last lines of `last`.
std::size_t repeated_lines(const std::vector<std::string>& last,
                           const std::vector<std::string>& next) {
  std::size_t count = std::min(last.size(), next.size());
  while (!std::equal(last.end() - static_cast<std::ptrdiff_t>(count), last.end(), next.begin())) {
    --count;
  }
  return count;
}

// Returns whether a cue with further lines repeats its first lines only for display. Of a dialogue,
// or of a single word, it may be said twice.
bool rolls_up(const std::vector<std::string>& lines, std::size_t repeated) {
  const std::string_view last = lines[repeated - 1];
  return repeated < lines.size() && !last.starts_with(">> ") &&
         (repeated > 1 || last.find(' ') != last.npos);
}

}  // namespace

std::optional<SubtitleCue> SubtitleReader::add(std::string_view line) {
  is_web_vtt_ = is_web_vtt_ || trimmed(line).starts_with("WEBVTT");
  const bool ends_cue = line.empty();  // a line of blanks is text
  line = trimmed(line);
  if (auto next = parse_times(line)) {
    number_.clear();
    std::optional<SubtitleCue> complete = cue_ ? release() : release_late();
    cue_ = std::move(next);
    in_comment_ = false;
    return complete;
  }
  if (line.empty() && (ends_cue || !cue_)) {
    in_comment_ = false;
    return release();
  }
  is_automatic_ = is_automatic_ || (in_comment_ && line == "Kind: captions");
  if (!cue_ && begins_comment(line)) {
    in_comment_ = true;
  }
  if (!cue_ && !in_comment_ && !is_web_vtt_ && last_end_ > 0) {
    add_late(line);
  }
  if (cue_) {
    add_text(std::exchange(number_, {}));
    if (is_number(line)) {
      number_ = line;
    } else {
      add_text(line);
    }
  }
  return std::nullopt;
}

std::optional<SubtitleCue> SubtitleReader::finish() {
  if (!number_.empty() && !cue_) {
    late_.push_back(std::exchange(number_, {}));
  }
  return cue_ ? release() : release_late();
}

// Adds text behind a blank line in a cue of SRT. A number belongs to the next cue.
void SubtitleReader::add_late(std::string_view line) {
  if (!number_.empty()) {
    late_.push_back(std::exchange(number_, {}));
  }
  if (is_number(line)) {
    number_ = line;
  } else if (const std::string text = text_of(line); !text.empty()) {
    late_.push_back(text);
  }
}

std::optional<SubtitleCue> SubtitleReader::release_late() {
  if (late_.empty()) {
    return std::nullopt;
  }
  last_lines_ = late_;
  return SubtitleCue{last_end_, last_end_, std::exchange(late_, {})};
}

std::optional<SubtitleCue> SubtitleReader::release() {
  if (!cue_) {
    return std::nullopt;
  }
  add_text(std::exchange(number_, {}));
  SubtitleCue cue = std::move(*std::exchange(cue_, std::nullopt));
  leave_out_repeated(cue);
  return cue.lines.empty() ? std::nullopt : std::optional(std::move(cue));
}

void SubtitleReader::add_text(std::string_view line) {
  const std::string text = text_of(line);
  if (!text.empty()) {
    cue_->lines.push_back(text);
  }
}

// Leaves out the text of the cue before if this one repeats and continues it. Returns whether it
// does.
bool SubtitleReader::leave_out_begun(SubtitleCue& cue) {
  const std::string before = join_words(last_lines_);
  const std::string text = join_words(cue.lines);
  if (split_words(before).size() < kMinBegun || ends_with_stop(before) ||
      !text.starts_with(before + " ") || cue.begin > last_end_ + kInstant) {
    return false;
  }
  last_lines_ = cue.lines;
  last_end_ = cue.end;
  cue.lines = {text.substr(before.size() + 1)};
  return true;
}

void SubtitleReader::leave_out_repeated(SubtitleCue& cue) {
  if (cue.lines.empty()) {
    return;
  }
  const std::size_t repeated = repeated_lines(last_lines_, cue.lines);
  const bool adjoins = repeated > 0 && cue.begin <= last_end_ + kInstant;
  const bool is_instant = repeated == cue.lines.size() && cue.end - cue.begin <= kInstant;
  if (repeated == 0 && leave_out_begun(cue)) {
    return;
  }
  const bool rolled_up = adjoins && rolls_up(cue.lines, repeated);
  rolled_up_ += rolled_up ? 1 : 0;
  is_automatic_ = is_automatic_ || (adjoins && is_instant) || rolled_up_ == kMinRolledUp;
  last_lines_ = cue.lines;
  last_end_ = cue.end;
  if (is_automatic_ || rolled_up) {
    cue.lines.erase(cue.lines.begin(), cue.lines.begin() + static_cast<std::ptrdiff_t>(repeated));
  }
}

namespace {

// Returns whether the rest of a first line of times may be that of its arrow.
bool may_be_of_arrow(std::string_view rest) {
  constexpr std::array<std::string_view, 5> kSigns{">", "\u2013>", "\u2014>", "\u2212>", "\u2192"};
  return rest.empty() || rest[0] == '\n' ||
         std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) {
           return rest.starts_with(sign) || sign.starts_with(rest);
         });
}

}  // namespace

SubtitleBeginning subtitle_beginning(std::string_view begin) {
  constexpr std::string_view kHeader = "WEBVTT";
  if (begin.starts_with(kHeader) || kHeader.starts_with(begin)) {
    return begin.size() < kHeader.size() ? SubtitleBeginning::kUndecided : SubtitleBeginning::kYes;
  }
  std::string_view rest = begin;
  const std::size_t digits = rest.find_first_not_of(kDigits);
  if (digits != rest.npos && digits > 0 && (rest[digits] == '\n' || rest[digits] == '\r')) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \r\n", digits), rest.size()));
  }
  const std::size_t hours = rest.find_first_not_of(kDigits);
  if (hours == rest.npos) {
    return rest.size() > kMaxNumber ? SubtitleBeginning::kNo : SubtitleBeginning::kUndecided;
  }
  const std::size_t end = rest.find_first_of("\r\n");
  const std::string_view time =
      rest.substr(0, std::min(rest.find_first_not_of("0123456789:,. \t-\r"), end));
  const std::string_view arrow = rest.substr(std::min(time.size(), rest.size()));
  if (hours == 0 || rest[hours] != ':' || !may_be_of_arrow(arrow)) {
    return SubtitleBeginning::kNo;
  }
  if (end == rest.npos) {
    return rest.size() > kMaxTimes ? SubtitleBeginning::kNo : SubtitleBeginning::kUndecided;
  }
  return parse_times(rest.substr(0, end)) ? SubtitleBeginning::kYes : SubtitleBeginning::kNo;
}

}  // namespace surtitle
