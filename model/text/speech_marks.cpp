#include "model/text/speech_marks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "model/text/ascii.h"
#include "model/text/text_form.h"
#include "model/text/words.h"

namespace surtitle {
namespace {

using Kind = SpeechElement::Kind;
using Words = std::span<const std::string>;

// The words of an open mark that wait for its closing sign.
constexpr std::size_t kMaxBrackets = 12;
constexpr std::size_t kMaxRemark = 24;  // "(Beifall bei Abgeordneten der ...)"
constexpr std::size_t kMaxSound = 4;    // "(leise Musik)"
constexpr std::size_t kMaxTag = 6;
constexpr std::size_t kMaxSong = 24;
constexpr std::size_t kMaxMarked = 200;     // bytes of a word with marks, which bounds the cost
constexpr std::size_t kMaxHesitation = 20;  // bytes: "ähhhhhhhhhhhhhh"
constexpr std::size_t kMaxName = 3;         // ">> Angela Merkel:"

constexpr std::array<std::string_view, 6> kNotes{"♪", "♫", "♬", "♩", "🎵", "🎶"};

// What stenographers begin a remark with, of any length.
constexpr std::string_view kRemarks =
    " applaus beifall gegenruf gelächter heiterkeit lachen unruhe widerspruch zuruf zurufe "
    "zwischenruf zwischenrufe applause laughter ";
// Names of sounds and of what takes the place of words.
constexpr std::string_view kSounds =
    " musik musikalisch klaviermusik orgelmusik titelmusik hintergrundmusik gesang singt singen "
    "lied jubel klatschen klatscht lacht "
    "lachend lächelt kichert kichern schmunzelt schmunzeln hustet husten räuspert räuspern seufzt "
    "seufzen stöhnt stöhnen gähnt gähnen niest niesen schnieft weint weinen schluchzt schreit "
    "schreie flüstert flüstern murmelt pfeift pfeifen atmet atmen stille pause schweigen schweigt "
    "unverständlich unhörbar undeutlich geräusch geräusche rauschen lärm störung klingelt klingeln "
    "telefonklingeln piepen piepton knall knallt klopft klopfen "
    "quietscht bellt läutet hupt seufz räusper hust grins kicher schluchz nickt music musical "
    "singing sings song cheering cheers "
    "cheer clapping claps clap laughs laugh laughing chuckles chuckle chuckling giggles giggle "
    "giggling coughs cough coughing clears throat sighs sigh sighing groans groan groaning gasps "
    "gasp sniffs sniff sniffles sneezes sneeze yawns crying cries sobbing sobs screams scream "
    "screaming shouting whispers whispering murmuring whistles whistling breathes breathing "
    "breath inhales exhales silence silent inaudible unintelligible indistinct crosstalk noise "
    "noises static beep beeping ringing rings bell blank_audio blank no_speech nospeech unk sil "
    "audience crowd applauding applauds speaking speaks musique rires rire applaudissements "
    "silencio música risas aplausos musica risate applausi muziek gelach applaus ";

// Names of marks that say nothing to viewers.
constexpr std::string_view kNothing =
    " unk sil blank blank_audio no_speech nospeech silence silent ";

constexpr std::string_view kHesitations =
    " uh uhm äh ähm ähem öh öhm ehm euh euhm hm hmm hmhm mhm ";
constexpr std::string_view kEnglishHesitations = " um umm erm ah-um ";

constexpr std::string_view kSpeakers =
    " speaker sprecher sprecherin spk redner rednerin moderator moderatorin interviewer "
    "interviewerin host guest gast locuteur locutrice intervenant hablante interlocutor relatore ";

bool has(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != list.npos && !word.empty();
       at = list.find(word, at + 1)) {
    if (list[at - 1] == ' ' && list[at + word.size()] == ' ') return true;
  }
  return false;
}

bool is_part_of_word(char c) {
  return is_digit(c) || is_letter(c) || static_cast<unsigned char>(c) >= 0x80U;
}

// Returns the first `count` words with a space between them.
std::string join(Words words, std::size_t count) {
  std::string text;
  for (const std::string& word : words.first(std::min(count, words.size()))) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

SpeechElement whole(Kind kind, Words words, std::size_t count) {
  return {kind, join(words, count), std::min(count, words.size())};
}

// Returns the bytes of the signs at the front of `text`, or at its end.
template <class Signs>
std::size_t sign_bytes(std::string_view text, const Signs& signs, bool at_end) {
  const std::size_t whole = text.size();
  const auto fits = [&](std::string_view sign) {
    return at_end ? text.ends_with(sign) : text.starts_with(sign);
  };
  for (const auto* sign = signs.begin(); sign != signs.end();) {
    sign = std::find_if(signs.begin(), signs.end(), fits);
    if (sign != signs.end()) {
      at_end ? text.remove_suffix(sign->size()) : text.remove_prefix(sign->size());
    }
  }
  return whole - text.size();
}

// Returns the number of signs of emphasis at the front of `text`, or at its end: "**", "_", "~~".
std::size_t emphasis(std::string_view text, bool at_end) {
  const char sign = text.empty() ? ' ' : at_end ? text.back() : text.front();
  const std::size_t kept = at_end ? text.find_last_not_of(sign) : text.find_first_not_of(sign);
  if (std::string_view("*_`~").find(sign) == std::string_view::npos || kept == text.npos) {
    return 0;
  }
  const std::size_t count = at_end ? text.size() - 1 - kept : kept;
  const bool is_rating = at_end && count == 1 && is_digit(text[kept]);  // "4*"
  return count > 3 || is_rating || (sign == '~' && count != 2) ? 0 : count;
}

// "**sehr" and "(*wichtig*)," of Markdown are "sehr" and "(wichtig),".
std::string without_emphasis(std::string word) {
  constexpr std::array<std::string_view, 9> kOpening{"(", "\"", "'", "„", "“", "»", "«", "‚", "‘"};
  constexpr std::array<std::string_view, 15> kClosing{".", ",", ";", ":", "!", "?", ")", "\"",
                                                      "'", "“", "”", "«", "»", "‘", "…"};
  const std::string_view view = word;
  const std::size_t begin = sign_bytes(view, kOpening, /*at_end=*/false);
  const std::size_t end = view.size() - sign_bytes(view.substr(begin), kClosing, /*at_end=*/true);
  const std::string_view inner = view.substr(begin, end - begin);
  const std::size_t before = emphasis(inner, /*at_end=*/false);
  const std::size_t after = emphasis(inner, /*at_end=*/true);
  word.erase(end - after, after);
  word.erase(begin, before);
  return word;
}

SpeechElement plain_word(const std::string& word) {
  return {Kind::kWord, without_emphasis(word), 1};
}

// "ähhh" and "hmmmm" are written with any number of letters.
std::string without_repeats(std::string_view word) {
  std::string once;
  for (const char c : word) {
    if (once.empty() || once.back() != c) once += c;
  }
  return once;
}

bool is_hesitation(const std::string& spoken, std::string_view language) {
  if (spoken.size() > kMaxHesitation && spoken != "%hesitation") return false;
  if (spoken == "%hesitation") return true;
  const std::string once = without_repeats(spoken);
  const auto is_in = [&](std::string_view list) { return has(list, spoken) || has(list, once); };
  return is_in(kHesitations) || (language.starts_with("en") && is_in(kEnglishHesitations));
}

// --- speakers ---

// "1", "00", "a", "_turn": what distinguishes one speaker from another.
bool is_number_of_speaker(std::string_view text) {
  while (!text.empty() && (text.front() == '_' || text.front() == '-' || text.front() == '#')) {
    text.remove_prefix(1);
  }
  return !text.empty() &&
         (text == "turn" || text == "unknown" || (text.size() == 1 && is_letter(text[0])) ||
          std::all_of(text.begin(), text.end(), is_digit));
}

// "speaker_00", "s1", "speaker 1"
bool is_numbered_speaker(std::string_view label) {
  std::size_t letters = 0;
  while (letters < label.size() && !is_digit(label[letters]) && label[letters] != ' ' &&
         label[letters] != '_' && label[letters] != '-') {
    ++letters;
  }
  std::string_view number = label.substr(letters);
  if (number.starts_with(' ')) number.remove_prefix(1);
  const std::string_view name = label.substr(0, letters);
  return (has(kSpeakers, name) || (name == "s" && !number.empty() && is_digit(number[0]))) &&
         is_number_of_speaker(number);
}

// Returns the label in the spoken form of its words: "speaker 1" for "[Speaker 1]:".
std::string label_of(std::string_view text) {
  std::string spoken;
  for (const std::string_view word : split_words(text)) {
    spoken += (spoken.empty() ? "" : " ") + spoken_word(word);
  }
  return spoken;
}

bool is_speaker(std::string_view content) {
  const std::string label = label_of(content);
  return has(kSpeakers, label) || is_numbered_speaker(label);
}

// "Speaker 1:", "SPEAKER_00:", and "Sprecher:" at the beginning of a sentence
std::optional<SpeechElement> speaker_label(Words words, const std::string& spoken, bool begins,
                                           bool at_end) {
  const std::string& word = words.front();
  if (word.ends_with(':')) {
    const std::string label = label_of(word);
    if (is_numbered_speaker(label) || (begins && has(kSpeakers, label))) {
      return whole(Kind::kSpeaker, words, 1);
    }
  } else if (is_part_of_word(word.back()) && has(kSpeakers, spoken)) {
    if (words.size() == 1) {
      return at_end ? std::nullopt : std::optional(SpeechElement{});
    }
    if (words[1].ends_with(':') && is_number_of_speaker(spoken_word(words[1]))) {
      return whole(Kind::kSpeaker, words, 2);
    }
  }
  return std::nullopt;
}

bool begins_like_name(std::string_view word) {
  return !word.empty() && spoken_word(word).compare(0, 2, word.substr(0, 2)) != 0;
}

// Returns the bytes of ">>" at the front of a word, which may be written for HTML; 0 if there is
// only one sign.
std::size_t speaker_signs(std::string_view word) {
  std::size_t at = 0;
  int signs = 0;
  for (std::size_t size = 1; size > 0; at += size) {
    const std::string_view rest = word.substr(at);
    size = rest.starts_with('>') ? 1 : rest.starts_with("&gt;") ? 4 : 0;
    signs += size > 0 ? 1 : 0;
  }
  return signs < 2 ? 0 : at;
}

// ">>" of subtitles for the deaf, with or without a name: ">> Angela Merkel:"
std::optional<SpeechElement> speaker_sign(Words words, bool at_end) {
  const std::string& word = words.front();
  const std::size_t signs = speaker_signs(word);
  if (signs == 0) return std::nullopt;
  if (signs < word.size()) {
    const std::string rest = word.substr(signs);
    const bool named = rest.ends_with(':') && begins_like_name(rest);
    return SpeechElement{Kind::kSpeaker, word.substr(0, named ? word.size() : signs), 1,
                         named ? std::string() : rest};
  }
  std::size_t name = 1;
  while (name < words.size() && name <= kMaxName && begins_like_name(words[name])) {
    if (words[name].ends_with(':')) return whole(Kind::kSpeaker, words, name + 1);
    ++name;
  }
  const bool undecided = name == words.size() && name <= kMaxName && !at_end;
  return undecided ? SpeechElement{} : whole(Kind::kSpeaker, words, 1);
}

// --- marks ---

// A pair of signs and the text between them, at the beginning of `words`.
struct Group {
  bool closed = false;
  std::string text;     // with both signs
  std::string content;  // without them
  std::size_t words = 0;
  std::string rest;  // after the closing sign and its punctuation, in their word
  std::string stop;  // that punctuation, if it ends a sentence
};

// Punctuation after the closing sign belongs to the group.
std::size_t end_of_sign(std::string_view text, std::size_t end) {
  constexpr std::array<std::string_view, 6> kStops{"…", "。", "？", "！", "，", "、"};
  constexpr std::array<std::string_view, 5> kQuotes{"”", "“", "’", "»", "«"};
  while (end < text.size()) {
    const std::string_view rest = text.substr(end);
    const auto* stop = std::find_if(kStops.begin(), kStops.end(),
                                    [&](std::string_view sign) { return rest.starts_with(sign); });
    if (stop != kStops.end()) {
      end += stop->size();
    } else if (std::find(kQuotes.begin(), kQuotes.end(), rest) != kQuotes.end()) {
      end = text.size();  // at the front of a word, the sign opens a quotation
    } else if (is_part_of_word(rest[0]) ||
               std::string_view("[(<{*").find(rest[0]) != std::string_view::npos) {
      break;
    } else {
      ++end;
    }
  }
  return end;
}

// Returns where the closing sign is in `word`, or npos. `depth`: number of pairs that are open.
std::size_t find_close(std::string_view word, std::size_t from, std::string_view open,
                       std::string_view close, int& depth) {
  if (open == close || open == "<") return word.find(close, from);
  for (std::size_t at = from; at < word.size(); ++at) {
    depth += word[at] == open[0] ? 1 : word[at] == close[0] ? -1 : 0;
    if (depth == 0) return at;
  }
  return std::string_view::npos;
}

// Ends the group in `word`, which has its closing sign before `sign_end`.
void close_group(Group& group, const std::string& word, std::size_t sign_end) {
  const std::size_t end = end_of_sign(word, sign_end);
  const std::string punctuation = word.substr(sign_end, end - sign_end);
  group.closed = true;
  group.rest = word.substr(end);
  const bool goes_on = !group.rest.empty() && (is_lower(group.rest[0]) || is_digit(group.rest[0]));
  if (ends_with_stop(punctuation) && !goes_on) {
    group.stop = punctuation;
  }
  group.text += word.substr(0, group.stop.empty() ? end : sign_end);
}

Group find_group(Words words, std::string_view open, std::string_view close, std::size_t longest) {
  Group group;
  int depth = 1;
  const std::size_t count = std::min(words.size(), longest);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& word = words[i];
    const std::size_t from = i == 0 ? open.size() : 0;
    const std::size_t at = find_close(word, from, open, close, depth);
    group.content += (i == 0 ? "" : " ") + word.substr(from, at == word.npos ? at : at - from);
    group.text += i == 0 ? "" : " ";
    ++group.words;
    if (at != std::string::npos) {
      close_group(group, word, at + close.size());
      return group;
    }
    group.text += word;
  }
  return group;
}

SpeechElement element_of(Kind kind, Group group) {
  return {kind, std::move(group.text), group.words, std::move(group.rest), std::move(group.stop)};
}

bool names_sound(std::string_view word) { return has(kSounds, word) || has(kRemarks, word); }

// Returns whether `words`, the last ones, are an open mark without a word of speech: "[Applaus".
bool is_cut_off_mark(const Group& group, Words words) {
  const std::string label = label_of(group.content);
  const std::vector<std::string_view> spoken = split_words(label);
  return !group.closed && group.words == words.size() && !spoken.empty() &&
         std::all_of(spoken.begin(), spoken.end(), names_sound);
}

bool is_time(std::string_view content) {
  return content.find(':') != content.npos &&
         content.find_first_not_of("0123456789:.,-> ") == content.npos;
}

// "(https://example.org/a)" after the text of a link
bool is_link(std::string_view rest) {
  return rest.starts_with('(') && rest.find("://") < rest.find(')') && rest.find(')') != rest.npos;
}

// "[unsere neue Seite](https://example.org/a)": the text of a link has words.
SpeechElement link(Group group) {
  const std::size_t end = group.rest.find(')') + 1;
  return {Kind::kWord, group.content + group.rest.substr(end), group.words};
}

// "[Applaus]", or any short remark that is a whole sentence. "[den Vertrag]", "[12]", and a sign
// that does not close are text.
std::optional<SpeechElement> brackets(Words words, bool begins, bool at_end) {
  Group group = find_group(words, "[", "]", kMaxBrackets);
  if (group.closed && is_speaker(group.content)) {
    return element_of(Kind::kSpeaker, std::move(group));
  }
  if (group.closed && is_link(group.rest)) return link(std::move(group));
  const std::string label = label_of(group.content);
  const bool alone = begins && at_end && group.words == words.size() && group.rest.empty() &&
                     split_words(label).size() <= kMaxSound &&
                     !std::all_of(label.begin(), label.end(), is_digit);
  if (group.closed ? alone || names_mark(group.content) : at_end && is_cut_off_mark(group, words)) {
    return element_of(Kind::kMark, std::move(group));
  }
  const bool undecided = !group.closed && group.words < kMaxBrackets && !at_end;
  return undecided ? std::optional(SpeechElement{}) : std::nullopt;
}

// "(Musik)", "*lacht*", "{laughs}": text that is no mark may have the same signs.
SpeechElement remark(Words words, std::string_view open, std::string_view close, bool begins,
                     bool at_end) {
  Group group = find_group(words, open, close, kMaxRemark);
  const std::string label = label_of(group.content);
  const std::vector<std::string_view> spoken = split_words(label);
  if (spoken.empty()) {  // "(...)" takes the place of words
    const bool is_gap = group.closed && !group.content.empty() &&
                        group.content.find_first_not_of('.') == std::string::npos;
    return is_gap ? element_of(Kind::kMark, std::move(group)) : plain_word(words.front());
  }
  if (group.closed && is_numbered_speaker(label)) {
    return element_of(Kind::kSpeaker, std::move(group));
  }
  const bool alone = begins && at_end && group.words == words.size() && group.rest.empty();
  const bool known =
      has(kRemarks, spoken.front()) ||
      (spoken.size() <= kMaxSound && std::any_of(spoken.begin(), spoken.end(), names_sound)) ||
      (alone && group.closed && spoken.size() <= kMaxSound);
  if (group.closed || at_end) {
    const bool is_mark = group.closed ? known : is_cut_off_mark(group, words);
    return is_mark ? element_of(Kind::kMark, std::move(group)) : plain_word(words.front());
  }
  const std::size_t longest = has(kRemarks, spoken.front()) ? kMaxRemark : kMaxSound + 1;
  return group.words < longest ? SpeechElement{} : plain_word(words.front());
}

// "♪ la la la ♪"
SpeechElement song(Words words, std::string_view note, bool at_end) {
  Group group = find_group(words, note, note, kMaxSong);
  const auto inner = words.first(std::max<std::size_t>(group.words, 1) - 1);
  const bool is_speech = std::any_of(inner.begin(), inner.end(), ends_with_stop);
  if (group.closed || (at_end && group.words == words.size() && !is_speech)) {
    return element_of(Kind::kMark, std::move(group));
  }
  if (group.words < kMaxSong && !at_end) return {};
  return {Kind::kMark, std::string(note), 1, words.front().substr(note.size())};
}

// "♪♪ la la la ♪♪"
std::optional<SpeechElement> song_of_notes(Words words, std::string_view note, bool at_end) {
  std::string notes(note);
  while (words.front().substr(notes.size()).starts_with(note)) notes += note;
  if (notes == note) return std::nullopt;
  Group group = find_group(words, notes, notes, kMaxSong);
  if (group.closed) return element_of(Kind::kMark, std::move(group));
  return group.words < kMaxSong && !at_end ? std::optional(SpeechElement{}) : std::nullopt;
}

// "# la la la #" of British subtitles; inside of a sentence, "# 5 und #" is text
std::optional<SpeechElement> song_of_hashes(Words words, bool begins, bool at_end) {
  if (words.front() != "#" || !begins) return std::nullopt;
  Group group = find_group(words, "#", "#", kMaxBrackets);
  const bool ends_word = group.rest.empty() && group.words > 2;
  if (group.closed) {
    return ends_word ? std::optional(element_of(Kind::kMark, std::move(group))) : std::nullopt;
  }
  return group.words < kMaxBrackets && !at_end ? std::optional(SpeechElement{}) : std::nullopt;
}

bool may_begin_tag(std::string_view text) {
  return text.size() > 1 && (is_letter(text[1]) || text[1] == '/' || text[1] == '|' ||
                             is_digit(text[1]) || text[1] == '!');
}

bool is_voice(std::string_view content) {
  return content.starts_with("v ") || content.starts_with("v.") || is_speaker(content);
}

// "<unk>", "<v Anna>", "<c.yellow>": the tag ends in one of the next words.
std::optional<SpeechElement> tag(Words words, bool at_end) {
  if (!may_begin_tag(words.front())) return std::nullopt;
  Group group = find_group(words, "<", ">", kMaxTag);
  if (!group.closed) {
    return group.words < kMaxTag && !at_end ? std::optional(SpeechElement{}) : std::nullopt;
  }
  if (is_voice(group.content)) return element_of(Kind::kSpeaker, std::move(group));
  const bool is_mark = is_tag(group.content) || names_mark(group.content);
  return is_mark ? std::optional(element_of(Kind::kMark, std::move(group))) : std::nullopt;
}

// "<i>gut</i>" is "gut", and so is "{\an8}gut" of subtitles in ASS.
std::string without_tags(std::string word) {
  for (std::size_t open = word.find("{\\"); open != std::string::npos; open = word.find("{\\")) {
    const std::size_t close = word.find('}', open);
    word.erase(open, close == std::string::npos ? close : close + 1 - open);
  }
  for (std::size_t open = word.find('<'); open != std::string::npos; open = word.find('<', open)) {
    const std::size_t close = word.find('>', open);
    if (close == std::string::npos ||
        !is_tag(std::string_view(word).substr(open + 1, close - open - 1))) {
      ++open;
    } else {
      word.erase(open, close + 1 - open);
    }
  }
  return word;
}

// "++NOISE++" of PocketSphinx, "!SIL" of Kaldi, "⁇" of SentencePiece
std::optional<SpeechElement> noise(const std::string& word) {
  std::size_t end = 0;
  if (word.starts_with("++")) {
    end = std::min(word.find("++", 3), word.size() - 2) + 2;
  }
  for (const std::string_view sign : {"!SIL", "⁇"}) {
    end = word.starts_with(sign) ? sign.size() : end;
  }
  Group group;
  group.words = 1;
  if (end > 0 && (end == word.size() || end_of_sign(word, end) == word.size())) {
    close_group(group, word, end);
  }
  return group.closed ? std::optional(element_of(Kind::kMark, std::move(group))) : std::nullopt;
}

std::optional<SpeechElement> mark(Words words, bool begins, bool at_end) {
  const std::string& word = words.front();
  switch (word.front()) {
    case '[':
      return brackets(words, begins, at_end);
    case '(':
      return remark(words, "(", ")", begins, at_end);
    case '{':
      if (word.starts_with("{\\")) return std::nullopt;  // a tag
      return remark(words, "{", "}", begins, at_end);
    case '*':
      return remark(words, "*", "*", begins, at_end);
    case '#':
      return song_of_hashes(words, begins, at_end);
    case '<':
      return tag(words, at_end);
    default:
      break;
  }
  for (const std::string_view note : kNotes) {
    if (!word.starts_with(note)) continue;
    if (auto found = song_of_notes(words, note, at_end)) return found;
    return song(words, note, at_end);
  }
  return noise(word);
}

// Returns where a remark begins inside of a word, as in "gut(hustet)weiter" and "Danke.(leise".
// "Kolleg(inn)en" and "bzw.(neu)" are words.
std::size_t remark_inside(std::string_view word, char open, char close) {
  const std::size_t at = word.find(open, 1);
  if (at == word.npos) return at;
  const std::size_t end = word.find(close, at + 1);
  const bool may_begin = end == word.npos ? !is_part_of_word(word[at - 1])
                                          : names_mark(word.substr(at + 1, end - at - 1));
  return may_begin ? at : word.npos;
}

// Returns where a mark begins inside of a word, as in "gut.[Applaus]". "Kolleg[inn]en" is a word.
std::size_t mark_inside(std::string_view word) {
  for (const std::string_view note : kNotes) {
    if (const std::size_t at = word.find(note); at != word.npos && at > 0) return at;
  }
  return std::min({remark_inside(word, '[', ']'), remark_inside(word, '(', ')'),
                   remark_inside(word, '{', '}'), remark_inside(word, '*', '*')});
}

// Returns where the last character begins. REQUIRES: not empty.
std::size_t last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

// Returns a mark in brackets. Without the stops inside, no sentence ends there.
std::string in_brackets(std::string_view content) {
  std::string text;
  for (std::string_view word : split_words(content)) {
    const bool is_last = word.data() + word.size() == content.data() + content.size();
    while (!is_last && ends_with_stop(word)) {
      word = word.substr(0, last_character(word));
    }
    text += (text.empty() ? "" : " ") + std::string(word);
  }
  return "[" + text + "]";
}

// "ti:Title" and "ar: Artist" of lyrics in LRC
bool is_header_of_lyrics(std::string_view content) {
  constexpr std::string_view kFields = " ti ar al au by ve length offset ";
  const std::size_t colon = content.find(':');
  return colon != content.npos && has(kFields, content.substr(0, colon));
}

}  // namespace

bool names_mark(std::string_view content) {
  const std::string label = label_of(content);
  const std::vector<std::string_view> spoken = split_words(label);
  if (spoken.empty() || is_time(content)) return !content.empty();
  if (is_header_of_lyrics(content)) return true;
  const bool is_identifier = spoken.size() == 1 && label.find('_') != label.npos;
  return is_identifier || has(kRemarks, spoken.front()) ||
         (spoken.size() <= kMaxSound && std::any_of(spoken.begin(), spoken.end(), names_sound));
}

bool is_tag(std::string_view content) {
  constexpr std::string_view kTags =
      " a b big blk body bos br c cls code div em eos eps font hr html i lang mark mask p pad rp "
      "rt "
      "ruby s sep small span strong sub sup tt u unk v ";
  if (content.starts_with('|') || content.starts_with('!') || is_time(content)) return true;
  content.remove_prefix(content.starts_with('/') ? 1 : 0);
  const std::size_t end = std::min(content.find_first_of(" \t./"), content.size());
  const std::string name = lower(content.substr(0, end));
  const std::string_view rest = content.substr(end);
  const bool has_attributes = rest.empty() || rest[0] == '.' || rest == "/" || rest == " /" ||
                              rest.find('=') != rest.npos || name == "v" || name == "c" ||
                              name == "lang";
  return has(kTags, name) && has_attributes;
}

SpeechElement first_element(Words words, std::string_view language, bool begins, bool at_end) {
  if (words.front().size() > kMaxMarked) return plain_word(without_tags(words.front()));
  if (auto found = speaker_sign(words, at_end)) return *std::move(found);
  if (auto found = mark(words, begins, at_end)) return *std::move(found);
  const std::string& word = words.front();
  const std::string spoken = spoken_word(word);
  if (auto found = speaker_label(words, spoken, begins, at_end)) return *std::move(found);
  if (is_hesitation(spoken, language)) return whole(Kind::kHesitation, words, 1);
  const std::size_t at = mark_inside(word);
  if (at != std::string::npos &&
      std::any_of(word.begin() + static_cast<std::ptrdiff_t>(at), word.end(), is_part_of_word)) {
    return {Kind::kWord, without_tags(word.substr(0, at)), 1, word.substr(at)};
  }
  return plain_word(without_tags(word));
}

std::string shown_mark(std::string_view mark) {
  constexpr std::array<std::pair<char, char>, 4> kSigns{
      {{'[', ']'}, {'(', ')'}, {'{', '}'}, {'*', '*'}}};
  for (const auto& [open, close] : kSigns) {
    if (mark.starts_with(open)) {
      const std::string_view content = mark.substr(1, mark.find_last_of(close) - 1);
      return has(kNothing, label_of(content)) ? std::string() : in_brackets(content);
    }
  }
  const bool is_song = mark.starts_with('#') ||
                       std::any_of(kNotes.begin(), kNotes.end(),
                                   [&](std::string_view note) { return mark.starts_with(note); });
  return is_song ? in_brackets(mark) : std::string();
}

bool ends_with_stop(std::string_view word) {
  for (const std::string_view closing : {"\"", "'", ")", "]", "”", "“", "’", "»", "«"}) {
    if (word.size() > closing.size() && word.ends_with(closing)) {
      word.remove_suffix(closing.size());
    }
  }
  constexpr std::array<std::string_view, 7> kStops{".", "!", "?", "…", "。", "？", "！"};
  return std::any_of(kStops.begin(), kStops.end(),
                     [&](std::string_view stop) { return word.ends_with(stop); });
}

}  // namespace surtitle
