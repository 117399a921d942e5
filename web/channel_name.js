// The name of a channel, for its address, from a title in any letters.

const MAX = 64;
const LETTERS = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', æ: 'ae', ø: 'oe', å: 'aa', œ: 'oe', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

// Returns "hoersaal-1" for "Hörsaal 1", and '' if no character of the title can be part of a name.
export function channelName(title) {
  const plain = title.normalize('NFC').toLowerCase().replace(/[^\0-\x7f]/gu, (letter) => LETTERS[letter] ?? letter);
  const name = plain.normalize('NFD').replace(/\p{M}/gu, '').replace(/[^a-z0-9._]+/gu, '-').slice(0, MAX);
  return name.replace(/^[-.]+|[-.]+$/gu, '');
}

// Whether a daemon accepts this name of a channel.
export function isChannelName(name) {
  return /^[A-Za-z0-9._-]{1,64}$/u.test(name);
}
