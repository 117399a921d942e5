// Decoder of the text files that people open in a page.

import { phrase } from './strings.js';

const CHECKED = 1024; // bytes
const PDF = '%PDF-';

// Returns the text: UTF-16 by its byte order mark or its zero bytes, UTF-8 if it is valid, else Windows-1252, which contains
// Latin-1. Throws an Error that names a binary file.
export function decodeText(name, buffer) {
  const bytes = new Uint8Array(buffer);
  const encoding = utf16(bytes);
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  if (isBinary(bytes)) throw new Error(phrase('file.binary', { name }));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

// Returns the name of the encoding, or undefined if the text is not UTF-16. Without a mark, it begins with ASCII.
function utf16(bytes) {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first && third && first < 0x80 && third < 0x80 && second === 0 && fourth === 0) return 'utf-16le';
  if (second && fourth && second < 0x80 && fourth < 0x80 && first === 0 && third === 0) return 'utf-16be';
  return undefined;
}

// Returns whether many control characters are at the beginning. The escape sequences of terminals do not count.
function isBinary(bytes) {
  const start = bytes.subarray(0, CHECKED);
  const controls = start.filter((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)).length;
  const isPdf = [...PDF].every((sign, i) => bytes[i] === sign.charCodeAt(0));
  return isPdf || (controls >= 8 && controls * 16 >= start.length);
}
