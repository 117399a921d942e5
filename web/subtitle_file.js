// Parser of WebVTT and SRT files, whose cues become text for VTTCue.
//
// parseSubtitles(name, text) returns [{start, end, text}], times in seconds. A block that is no cue (notes, styles,
// regions) is skipped, as WebVTT requires. SRT files may lack blank lines and numbers. Times may lack milliseconds, and
// their parts may have one digit. A file without any cue throws an Error that names it.

import { phrase } from './strings.js';

const TIMES = /^\s*([\d:.,]+)\s*-->\s*([\d:.,]+)(?:\s|$)/u;
const TIME = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d*))?$/u;
const NUMBER = /^\s*\d+\s*$/u;
const BEGINNING = /^\ufeff?(?:WEBVTT|\s*(?:\d+\s*\n)?\s*\d+:[\d:.,]+\s*-->\s*\d+:)/u;

function seconds(text) {
  const parts = TIME.exec(text);
  if (!parts) return NaN;
  const [hours = '0', minutes, whole, part = ''] = parts.slice(1);
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(whole) + Number(`0.${part}`);
}

// Converts the text of an SRT cue. SRT has no escapes. Of markup it has, by convention, b, i, u and font, and positions
// such as {\an8}. Those that VTTCue does not have are left out.
function fromSrt(text) {
  return text
    .replace(/\{\\[^{}]*\}/gu, '')
    .replace(/<\/?font\b[^<>]*>/giu, '')
    .replace(/<\/?[biu]>/giu, (tag) => tag.toLowerCase())
    .replace(/&/gu, '&amp;')
    .replace(/<(?!\/?[biu]>)/gu, '&lt;');
}

// Returns the lines of a cue's text, which are between its times and the next line with times. In WebVTT they end at a
// blank line.
function textLines(lines, plain) {
  if (plain) return lines.filter((line) => line.trim() !== '');
  const blank = lines.indexOf('');
  return blank < 0 ? lines : lines.slice(0, blank);
}

function readCue(header, lines, plain) {
  const [from, to] = TIMES.exec(header).slice(1);
  const [start, end] = [seconds(from), seconds(to)];
  const text = textLines(lines, plain).join('\n').trim();
  const shown = plain ? fromSrt(text) : text;
  return end > start && shown.trim() !== '' ? [{ start, end, text: shown }] : [];
}

// Returns whether the line begins a cue. In WebVTT, such a line within a note or a style does not.
function isHeader(lines, at, plain) {
  if (!TIMES.test(lines[at])) return false;
  return plain || at === 0 || lines[at - 1] === '' || at === 1 || lines[at - 2] === '';
}

// Returns whether a text begins as a file of subtitles does.
export function isSubtitles(text) {
  return BEGINNING.test(text.slice(0, 200));
}

export function parseSubtitles(name, text) {
  const lines = text.replace(/^\ufeff/u, '').replace(/\r*\n|\r/gu, '\n').split('\n');
  const plain = !lines[0].startsWith('WEBVTT');
  const headers = lines.flatMap((line, at) => (isHeader(lines, at, plain) ? [at] : []));
  const cues = headers.flatMap((at, i) => {
    let end = headers[i + 1] ?? lines.length;
    // The number of the next cue stands before its times.
    if (plain && end < lines.length && end - 1 > at && NUMBER.test(lines[end - 1])) end -= 1;
    return readCue(lines[at], lines.slice(at + 1, end), plain);
  });
  if (cues.length === 0) throw new Error(phrase('file.no-subtitles', { name }));
  return cues;
}
