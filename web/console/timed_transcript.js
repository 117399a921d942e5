// Parser of timed transcripts, the input of `surtitle replay`.

import { messagesOfWhisperLiveKit, textsOfWhisperLiveKit } from './whisperlivekit.js';

// Parses JSON lines {"time": seconds, "text": "..."} if the first character is {, otherwise plain text. Plain text has
// `rate` words a second, and a blank line ends the sentence. Messages of WhisperLiveKit are recognised.
//
// Returns [{time, text, end, clock}]. `time`: seconds after the first text; `end`: the sentence ends with this text;
// `clock`: seconds on the log's own clock, if any. Throws Error: "NAME:LINE: what is wrong".
export function parseTimedTranscript(content, name, rate) {
  const messages = messagesOfWhisperLiveKit(content);
  let texts;
  if (messages) texts = textsOfWhisperLiveKit(messages);
  else texts = content.trimStart().startsWith('{') ? parseJsonLines(content, name) : parsePlainText(content, rate);
  if (texts.length === 0) throw new Error(`${name}: contains no words`);
  const first = texts[0].time;
  return texts.map((timed) => ({ ...timed, time: timed.time - first }));
}

// Parses plain text; returns [] if it has no words.
export function parsePlainText(content, rate) {
  const split = (paragraph) => paragraph.split(/\s+/u).filter((word) => word !== '');
  const paragraphs = content.split(/\n[^\S\n]*\n/u).map(split);
  const texts = [];
  for (const words of paragraphs) {
    if (words.length > 0 && texts.length > 0) texts.at(-1).end = true;
    for (const text of words) texts.push({ time: texts.length / rate, text, end: false });
  }
  return texts;
}

function parseJsonLines(content, name) {
  const texts = [];
  for (const [i, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue;
    const timed = parseLine(line, `${name}:${i + 1}`);
    if (timed.time < texts.at(-1)?.time) {
      throw new Error(`${name}:${i + 1}: time ${timed.time} is before the previous line; times must not decrease`);
    }
    if (timed.text.trim() !== '') texts.push(timed);
  }
  return texts;
}

function parseLine(line, where) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`${where}: invalid JSON; must be an object such as {"time": 1.25, "text": "Guten"}`);
  }
  const { time, text, final } = value ?? {};
  if (typeof text !== 'string') throw new Error(`${where}: field text must be a string`);
  if (typeof time !== 'number' || time < 0) {
    throw new Error(`${where}: field time must be a number of seconds, 0 or more`);
  }
  if (final !== undefined) {
    throw new Error(`${where}: hypotheses (field final) cannot be replayed, only words that do not change`);
  }
  return { time, clock: time, text, end: false };
}
