// The channel that the writer of a mistyped address may have meant.

import { channelName } from './channel_name.js';
import { inLanguage } from './strings.js';
import { endpoint } from './wire.js';

const essence = (name) => channelName(name).replace(/[._-]/gu, '');

// Returns the name of a channel in the daemon's list that differs from this one at most in case, umlauts, blanks and other
// separators, or undefined if there is none or the token may not read the list.
export async function nearestChannel(home, token, name) {
  const answer = await fetch(endpoint(home, 'v1/channels', 'http', { token })).catch(() => null);
  const channels = answer?.ok ? await answer.json() : [];
  return channels.find((known) => essence(known.name) === essence(name))?.name;
}

// Asks in `#like` of the document whether the reader means the page of this path.
export function suggest(document, home, token, path) {
  const link = document.querySelector('#like a');
  link.href = inLanguage(endpoint(home, path, 'http', { token }));
  link.textContent = path.split('/').at(-1);
  document.querySelector('#like').hidden = false;
}
