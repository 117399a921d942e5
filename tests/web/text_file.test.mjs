import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText } from '../../web/text_file.js';

const utf16 = (text, big) => {
  const bytes = Buffer.from(text, 'utf16le');
  return big ? bytes.swap16() : bytes;
};

test('text is decoded, whatever program wrote it', () => {
  const text = 'Grüße, 100 %\n';
  for (const bytes of [
    Buffer.from(text),
    Buffer.from(`\ufeff${text}`),
    utf16(`\ufeff${text}`, false),
    utf16(`\ufeff${text}`, true),
    utf16(text, false),
    utf16(text, true),
    Buffer.from(text, 'latin1'),
  ]) {
    assert.equal(decodeText('a.txt', bytes), text);
  }
  assert.equal(decodeText('a.txt', Buffer.from('')), '');
  assert.equal(decodeText('a.txt', Buffer.from('\u001b[1mfett\u001b[0m\r\n\t')), '\u001b[1mfett\u001b[0m\r\n\t');
});

test('a binary file is refused in one line', () => {
  const noise = Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 7919 * 31) % 251));
  for (const bytes of [
    Buffer.concat([Buffer.from('RIFF$\0\0\0WAVEfmt '), Buffer.alloc(2000)]),
    Buffer.concat([Buffer.from('PK\u0003\u0004'), noise]),
    Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from('text')]),
    Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), noise]),
    Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), noise]),
    Buffer.alloc(100),
    noise,
  ]) {
    assert.throws(() => decodeText('talk.wav', bytes), { message: 'talk.wav is a binary file; must be text, timed words or subtitles' });
  }
});
