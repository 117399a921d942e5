// Links to a channel's page that others receive, and their QR codes.

import { problemOf } from './problems.js';
import { endpoint } from './wire.js';

const LOCAL = /^(localhost|127\.|\[::1\])/u;

// Whether only this machine can open an address.
export function isLocal(address) {
  return LOCAL.test(new URL(address).host);
}

// Whether a token may be passed on to viewers: other tokens are for their owner only.
export function isInvitation(token) {
  return token !== null && token.startsWith('sl.view.');
}

// Returns the link to a page of a channel. `query`: of the page, or ''.
export function channelLink(home, channel, { query = '', token = null } = {}) {
  const page = new URL(`c/${encodeURIComponent(channel)}`, home);
  const parts = [query, token === null ? '' : `token=${encodeURIComponent(token)}`].filter((part) => part !== '');
  page.search = parts.join('&');
  return page.href;
}

// Returns the address of an image with the code of a link to this daemon, as a data URL. Throws as problemOf().
export async function codeOf(home, link, token) {
  const response = await fetch(endpoint(home, 'v1/qr.svg', 'http', { link, token }));
  if (!response.ok) throw await problemOf(response);
  return `data:image/svg+xml,${encodeURIComponent(await response.text())}`;
}

// Returns the addresses by which other machines reach the daemon, if this page may know them.
export async function addressesForOthers(home, token) {
  const response = await fetch(endpoint(home, 'v1/admin/addresses', 'http', { token }));
  return response.ok ? (await response.json()).addresses : [];
}

// Returns the token of a new link to the channel. `role`: view or send. Throws as problemOf().
export async function makeLink(home, channel, { role, seconds }, token) {
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ role, seconds }) };
  const response = await fetch(endpoint(home, `v1/channels/${encodeURIComponent(channel)}/links`, 'http', { token }), options);
  if (!response.ok) throw await problemOf(response);
  return response.json();
}
