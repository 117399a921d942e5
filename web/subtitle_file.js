// Parser of WebVTT and SRT files, whose cues become text for VTTCue.
//
// parseSubtitles(name, text) returns [{start, end, text}], times in seconds. A block that is no cue (notes, styles,
// regions) is skipped, as WebVTT requires. A file without any cue throws an Error that names it.

const TIMES = /^\s*(\S+)\s+-->\s+(\S+)/u;
const TIME = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})$/u;

function seconds(text) {
  const parts = TIME.exec(text);
  if (!parts) return NaN;
  const [hours = '0', minutes, whole, part] = parts.slice(1);
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(whole) + Number(part.padEnd(3, '0')) / 1000;
}

// SRT has no escapes. Of markup it has, by convention, b, i and u.
function escape(text) {
  return text.replace(/&/gu, '&amp;').replace(/<(?!\/?[biu]>)/gu, '&lt;');
}

function readBlock(block, plain) {
  const lines = block.split('\n');
  const at = lines.findIndex((line) => TIMES.test(line));
  if (at < 0 || at > 1) return [];
  const [, from, to] = TIMES.exec(lines[at]);
  const [start, end] = [seconds(from), seconds(to)];
  const text = lines.slice(at + 1).join('\n').trim();
  if (!(end > start) || text === '') return [];
  return [{ start, end, text: plain ? escape(text) : text }];
}

export function parseSubtitles(name, text) {
  const unified = text.replace(/^\ufeff/u, '').replace(/\r\n?/gu, '\n');
  const plain = !unified.startsWith('WEBVTT');
  const cues = unified.split(/\n{2,}/u).flatMap((block) => readBlock(block, plain));
  if (cues.length === 0) throw new Error(`${name} has no subtitles; must be a WebVTT or SRT file`);
  return cues;
}
