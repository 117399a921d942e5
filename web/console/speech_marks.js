// Tells marks of sounds, hesitations and labels of speakers from the words around them, by the rules of `surtitle pipe`
// (model/text/speech_marks.h). The daemon shows a sentence that is a mark in square brackets without translating it.

import { REMARKS, SOUNDS } from './sounds.js';

const MARK = /(?<!\S)(\[[^[\]]{1,80}\][.,!?:;]?)(?!\S)/u;
const REMARK = /(?<!\S)(?:\(([^()]{1,200})\)|\{([^{}]{1,80})\}|\*([^*]{1,80})\*)([.,!?:;]?)(?!\S)/gu;
const SONG = /(?<!\S)[♪♫♬♩🎵🎶][^♪♫♬♩🎵🎶[\]]{0,200}[♪♫♬♩🎵🎶]*(?!\S)/gu;
const TAG = /<[a-z/|!][^<>]{0,40}>|(?<!\S)(?:\+\+\w+\+\+|!SIL|⁇)(?!\S)|\{\\[^{}]*\}/giu;
const HESITATION = /\s*(?<!\S)(?:u+h+m*|ä+h+(?:e?m+)?|ö+h+m*|e+u?h+m+|e+u+h+|h+m+|m+h+m+|h+m+h+m+)([,.!?…]*)(?!\S)/giu;
const ROLE = '(?:speaker|sprecher(?:in)?|spk|redner(?:in)?|moderator(?:in)?|interviewer(?:in)?|host|guest|gast)';
const NUMBER = '[ _-]?(?:\\d+|[a-z]|turn|unknown)';
const LABEL = new RegExp(`(?<!\\S)(?:(?:>|&gt;){2,}|(?:${ROLE}${NUMBER}|s\\d+):(?!\\S)|[[(](?:${ROLE}${NUMBER}|s\\d+)[\\])]:?(?!\\S))`, 'giu');
const SPEAKER = '\u0002'; // in place of a label

const MAX_SOUND = 4; // words of the name of a sound

function namesSound(content) {
  const words = content.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  return REMARKS.has(words[0]) || (words.length <= MAX_SOUND && words.some((word) => SOUNDS.has(word)));
}

function simplified(text) {
  return text
    .replace(TAG, '')
    .replace(LABEL, ` ${SPEAKER} `)
    .replace(HESITATION, (_, stop, at) => (at > 0 && /[.!?…]/u.test(stop) ? stop : ''))
    .replace(REMARK, (whole, round, curly, starred, stop) => {
      const content = round ?? curly ?? starred;
      return namesSound(content) ? `[${content}]${stop}` : whole;
    })
    .replace(SONG, (song) => `[${song.trim()}]`);
}

// Returns the parts of a text, [{text, mark, begins}]: what is between the marks, and each mark. `begins`: another speaker.
export function splitMarks(text) {
  return simplified(text)
    .split(SPEAKER)
    .flatMap((turn, i) => {
      const parts = turn.split(MARK).map((part, j) => ({ text: part.trim(), mark: j % 2 === 1, begins: false }));
      const kept = parts.filter((part) => part.text !== '');
      if (kept.length > 0) kept[0].begins = i > 0;
      return kept;
    });
}

// The same, with each word as a part of its own.
export function splitWords(text) {
  const words = ({ begins, ...part }) =>
    part.mark ? [{ ...part, begins }] : part.text.split(/\s+/u).map((word, i) => ({ text: word, mark: false, begins: begins && i === 0 }));
  return splitMarks(text).flatMap(words);
}

// Ends the sentence before each mark, after it, and before another speaker. Returns the texts without `mark` and `begins`.
export function endAtMarks(texts) {
  return texts.map(({ mark, begins: _, ...timed }, i) => {
    const next = texts[i + 1];
    return { ...timed, end: timed.end || mark || Boolean(next?.mark || next?.begins) };
  });
}
