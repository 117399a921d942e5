import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSubtitles, parseSubtitles } from '../../web/subtitle_file.js';

test('WebVTT is parsed with names, notes, settings and short times', () => {
  const file = `\ufeffWEBVTT Demo\r
\r
NOTE 00:01.000 --> 00:02.000 is no cue\r
\r
STYLE\r
::cue { color: red }\r
\r
first\r
00:01.500 --> 00:02.250 line:0 align:start\r
Good <b>morning</b> &amp; welcome,\r
all of you.\r
\r
\r
01:00:00.000 --> 01:00:01.000\r
An hour later.`;
  assert.deepEqual(parseSubtitles('a.vtt', file), [
    { start: 1.5, end: 2.25, text: 'Good <b>morning</b> &amp; welcome,\nall of you.' },
    { start: 3600, end: 3601, text: 'An hour later.' },
  ]);
});

test('SRT is parsed, and only its own markup is kept as markup', () => {
  const file = '1\n00:00:01,000 --> 00:00:02,5\n<i>a</i> < b & c <script>\n\n2\n00:00:03,000 --> 00:00:04,000\nd\n';
  assert.deepEqual(parseSubtitles('a.srt', file), [
    { start: 1, end: 2.5, text: '<i>a</i> &lt; b &amp; c &lt;script>' },
    { start: 3, end: 4, text: 'd' },
  ]);
});

test('invalid cues are skipped', () => {
  const cue = (times) => `WEBVTT\n\n${times}\nx\n\n00:09.000 --> 00:10.000\ny`;
  for (const times of ['00:02.000 --> 00:01.000', '1 --> 2', '00:0x.000 --> 00:02.000', '00:01.000 --> 00:02.000\n']) {
    assert.deepEqual(parseSubtitles('a', cue(times)), [{ start: 9, end: 10, text: 'y' }], times);
  }
});

test('times without milliseconds, with one digit or with many are read', () => {
  const cue = (times) => parseSubtitles('a', `${times}\nx\n`)[0];
  for (const [times, start, end] of [
    ['00:00:01 --> 00:00:03', 1, 3],
    ['0:0:6,0 --> 0:0:8,0', 6, 8],
    ['1:2.5 --> 1:3', 62.5, 63],
    ['00:00:01, --> 00:00:02.', 1, 2],
    ['1:00:00.123456 --> 1:00:01,5', 3600.123456, 3601.5],
  ]) {
    assert.deepEqual(cue(times), { start, end, text: 'x' }, times);
    assert.deepEqual(cue(`WEBVTT\n\n${times}`), { start, end, text: 'x' }, times);
    assert.equal(isSubtitles(`1\n${times}\nx\n`), true, times);
  }
});

test('a file without cues is reported', () => {
  for (const text of ['', 'WEBVTT\n', 'no subtitles at all', '\0\0']) {
    assert.throws(() => parseSubtitles('talk.txt', text), { message: 'talk.txt has no subtitles; must be a WebVTT or SRT file' });
  }
});

test('SRT without blank lines or without numbers is parsed', () => {
  const cues = [
    { start: 1, end: 2, text: 'one\n42 times' },
    { start: 3, end: 4, text: 'two' },
    { start: 5, end: 6, text: 'three' },
  ];
  const numbered = '1\n00:00:01,000 --> 00:00:02,000\none\n42 times\n2\n00:00:03,000 --> 00:00:04,000\ntwo\n3\n00:00:05,000 --> 00:00:06,000\nthree';
  assert.deepEqual(parseSubtitles('a.srt', numbered), cues);
  assert.deepEqual(parseSubtitles('a.srt', numbered.replace(/^\d\n/gmu, '')), cues);
  assert.deepEqual(parseSubtitles('a.srt', numbered.replace(/\n(?=\d\n)/gu, '\n\n\n')), cues);
  assert.deepEqual(parseSubtitles('a.srt', numbered.replace(/ --> /gu, '-->')), cues);
  for (const end of ['\r', '\r\n', '\r\r\n']) {
    assert.deepEqual(parseSubtitles('a.srt', numbered.replace(/\n/gu, end)), cues);
  }
});

test('a blank line within an SRT cue does not end its text', () => {
  const file = '1\n00:00:01,000 --> 00:00:02,000\na\n\nb\n\n2\n00:00:03,000 --> 00:00:04,000\nc\n';
  assert.deepEqual(parseSubtitles('a.srt', file).map(({ text }) => text), ['a\nb', 'c']);
});

test('a number is the text of an SRT cue if nothing else is', () => {
  const file = '1\n00:00:01,000 --> 00:00:02,000\n42\n\n2\n00:00:03,000 --> 00:00:04,000\n1984\n';
  assert.deepEqual(parseSubtitles('a.srt', file).map(({ text }) => text), ['42', '1984']);
});

test('fonts and positions of SRT are left out', () => {
  const file = String.raw`1
00:00:01,000 --> 00:00:02,000
{\an8}<font color="#ffff00">top</font> <I>slanted</I> {\pos(1,2)}

2
00:00:03,000 --> 00:00:04,000
{\an8}<FONT face='x'></FONT>

3
00:00:05,000 --> 00:00:06,000
{braces} a<b`.replaceAll('\\\\', '\\');
  assert.deepEqual(parseSubtitles('a.srt', file).map(({ text }) => text.trim()), ['top <i>slanted</i>', '{braces} a&lt;b']);
});

test('WebVTT ignores times within a note', () => {
  const file = 'WEBVTT\n\nNOTE\nsee\n00:01.000 --> 00:02.000\nbelow\n\nid\n00:03.000-->00:04.000\nx\n\nNOTE end';
  assert.deepEqual(parseSubtitles('a.vtt', file), [{ start: 3, end: 4, text: 'x' }]);
});
