// Tells words apart from what speech recognisers and subtitles write between them: marks of sounds,
// hesitations and labels of speakers.
//
// [Applaus], (Musik), *lacht*, ♪ la la ♪, # la la #, <unk> and ++NOISE++ are marks. Text in
// brackets or asterisks is a mark if it names a known sound, or if it is short and the text has
// nothing else. Text in angle brackets is a mark if it is a known tag, a time or a known sound.
// Text without its closing sign is a mark if it ends the text and all of its words name sounds. A
// label is ">>", "Speaker 1:", "[SPEAKER_00]" or "<v Anna>".
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace surtitle {

// The elements that are kept beside the words; by default, none. Hesitations and labels that are
// kept are translated like words.
struct SpeechRule {
  bool keep_marks = false;  // each is a sentence of its own, see shown_mark()
  bool keep_hesitations = false;
  bool keep_speakers = false;
  std::string language = {};  // of the words, such as "de"; determines the hesitations
};

struct SpeechElement {
  enum class Kind {
    kWord,
    kMark,
    kHesitation,
    kSpeaker,
    kOpen,  // the next word decides
  };
  Kind kind = Kind::kOpen;
  std::string text = {};  // as written, a word without markup: "<i>gut</i>" and "**gut**" are "gut"
  std::size_t words = 0;  // number of words that it has; 0: kOpen
  std::string rest = {};  // what follows it in the last of these words: "[Musik]Guten" has "Guten"
  std::string stop = {};  // the end of the sentence that follows a mark: "(lacht)." has "."
};

// Returns the element at the beginning of `words`. `language`: see SpeechRule. `begins`: a sentence
// or a text begins here. `at_end`: no word follows; then the result is not kOpen. REQUIRES: at
// least one word, each valid UTF-8 without white space.
SpeechElement first_element(std::span<const std::string> words, std::string_view language,
                            bool begins, bool at_end);

// Returns whether a text in brackets names a sound, or is a time or a recogniser's tag:
// "Applaus", "BLANK_AUDIO", "...". REQUIRES: valid UTF-8.
bool names_mark(std::string_view content);

// Returns whether `content` between < and > is a tag of HTML, of subtitles, or of a recogniser:
// "i", "/font", "c.yellow", "unk", "00:01.000". "Anna" and "3 und" are words. Any bytes are
// allowed.
bool is_tag(std::string_view content);

// Returns a mark as it is shown, in square brackets: "[Musik]" for "(Musik)" and "[♪ la la ♪]".
// Empty for marks of silence and of nothing recognised, such as "[BLANK_AUDIO]" and "<unk>".
std::string shown_mark(std::string_view mark);

// Returns whether a sentence may end with the word: its last sign is one of . ! ? and their like,
// maybe inside of quotes or brackets.
bool ends_with_stop(std::string_view word);

}  // namespace surtitle
