// Parser of timed transcripts, the input of `surtitle replay`.

import { phrase } from '../strings.js';
import { isSubtitles, parseSubtitles } from '../subtitle_file.js';
import { endAtMarks, splitMarks, splitWords } from './speech_marks.js';
import { messagesOfWhisperLiveKit, textsOfWhisperLiveKit } from './whisperlivekit.js';

// Parses JSON lines {"time": seconds, "text": "..."} if the first character is {, subtitles (SRT, WebVTT), otherwise plain
// text. Plain text has `rate` words a second, and a blank line ends the sentence. Messages of WhisperLiveKit are recognised.
//
// Returns [{time, text, end, clock}]. `time`: seconds after the first text; `end`: the sentence ends with this text;
// `clock`: seconds on the log's own clock, if any. A mark such as [Applaus] is a sentence of its own. Throws Error:
// "NAME:LINE: what is wrong".
export function parseTimedTranscript(content, name, rate) {
  const texts = parse(content, name, rate);
  if (texts.length === 0) throw new Error(phrase('log.empty', { name }));
  const first = texts[0].time;
  return texts.map((timed) => ({ ...timed, time: rounded(timed.time - first) }));
}

function parse(content, name, rate) {
  const messages = messagesOfWhisperLiveKit(content);
  if (messages) return textsOfWhisperLiveKit(messages);
  if (isSubtitles(content)) return endAtMarks(wordsOfCues(parseSubtitles(name, content)));
  return content.trimStart().startsWith('{') ? endAtMarks(parseJsonLines(content, name)) : parsePlainText(content, rate);
}

const rounded = (seconds) => Math.round(seconds * 1000) / 1000;

// Parses plain text; returns [] if it has no words.
export function parsePlainText(content, rate) {
  const texts = [];
  for (const paragraph of content.split(/\n[^\S\n]*\n/u)) {
    const words = splitWords(paragraph);
    if (words.length > 0 && texts.length > 0) texts.at(-1).end = true;
    for (const word of words) texts.push({ time: texts.length / rate, ...word, end: false });
  }
  return endAtMarks(texts);
}

// Spreads the words of each cue evenly over its time.
function wordsOfCues(cues) {
  const texts = [];
  for (const { start, end, text } of cues) {
    const words = text.split('\n').flatMap(wordsOfLine);
    for (const [i, word] of words.entries()) {
      const time = rounded(Math.max(start + ((end - start) * (i + 1)) / words.length, texts.at(-1)?.time ?? 0));
      texts.push({ time, clock: time, ...word, end: false });
    }
  }
  return texts;
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '', quot: '"' };

// Returns the words of a cue's line without markup. A dash or a voice is another speaker, who begins another sentence. A
// line in round brackets, asterisks or notes is a mark.
function wordsOfLine(line) {
  const begins = /^\s*(?:[-–]\s|>>|<v[ .])/u.test(line);
  const plain = line
    .replace(/^\s*(?:[-–]\s|>>+)/u, '')
    .replace(/<\/?[a-z\d][^<>]*>/giu, '')
    .replace(/&(\w+);/gu, (whole, name) => ENTITIES[name] ?? whole)
    .replace(/^\s*(?:\(([^()]+)\)|\*([^*]+)\*|(♪[^♪]*♪?))\s*$/u, (_, ...found) => `[${found.slice(0, 3).join('')}]`);
  return splitWords(plain).map((word, i) => ({ ...word, begins: word.begins || (begins && i === 0) }));
}

function parseJsonLines(content, name) {
  const texts = [];
  let last = 0;
  for (const [i, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue;
    const { text, ...timed } = parseLine(line, `${name}:${i + 1}`);
    if (timed.time < last) {
      throw new Error(phrase('log.order', { where: `${name}:${i + 1}`, time: `${timed.time}` }));
    }
    last = timed.time;
    for (const part of splitMarks(text)) texts.push({ ...timed, ...part, end: false });
  }
  return texts;
}

function parseLine(line, where) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(phrase('log.json', { where, example: '{"time": 1.25, "text": "Guten"}' }));
  }
  const { time, text, final } = value ?? {};
  if (typeof text !== 'string') throw new Error(phrase('log.text', { where }));
  if (typeof time !== 'number' || time < 0) {
    throw new Error(phrase('log.time', { where }));
  }
  if (final !== undefined) {
    throw new Error(phrase('log.final', { where }));
  }
  return { time, clock: time, text };
}
