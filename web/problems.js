// The daemon's errors in the language of the reader.

import { ui } from './strings.js';
import german from './strings/problems_de.js';

const CODES = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate-limited' }; // by HTTP status

// Returns the text of an error, which is {code, message} or an Error with a code. Without a translation of its code, it
// is the daemon's message.
export function problemText({ code, message }) {
  return (ui === 'de' && german[code]?.replace('{message}', message)) || message;
}

// Returns the Error of an HTTP response that is not successful.
export async function problemOf(response) {
  const text = (await response.text()).trim();
  let message = text;
  try {
    message = JSON.parse(text).error ?? text;
  } catch {} // the text is the message
  return Object.assign(new Error(message || `HTTP ${response.status}`), { code: CODES[response.status] });
}
