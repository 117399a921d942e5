// The code of a channel's subtitles for a projector, /qr?channel=NAME.
//
// at=ADDRESS is the daemon's address for the audience, if this page is opened by another one. A token of the page is part
// of the code only if it is an invitation.

import { dress, onSystemTheme } from './appearance.js';
import { offerFullScreen } from './full_screen.js';
import { problemText } from './problems.js';
import { Settings } from './settings.js';
import { addressesForOthers, channelLink, codeOf, isInvitation, isLocal } from './share_link.js';
import { fillPage, phrase } from './strings.js';
import { token } from './token.js';
import { endpoint } from './wire.js';

const INTERVAL = 5_000; // ms

const home = new URL('.', import.meta.url);
const query = new URLSearchParams(location.search);
const channel = query.get('channel') ?? 'main';
const find = (selector) => document.querySelector(selector);
const settings = new Settings('page', `theme=${query.get('theme') ?? 'auto'}`, null);

// Returns the daemon's address for the audience.
async function audience() {
  const given = query.get('at');
  if (given !== null && /^https?:\/\//u.test(given) && URL.canParse(given)) return given;
  return isLocal(home) && token === null ? ((await addressesForOthers(home, token))[0] ?? home.href) : home.href;
}

async function show() {
  const at = await audience();
  const link = channelLink(at, channel, { token: isInvitation(token) ? token : null });
  find('#code').src = await codeOf(home, link, token);
  find('#code').alt = phrase('qr.code', { link: channelLink(at, channel) });
  find('#code').hidden = false;
  // A token is too long for typing.
  find('#address').textContent = token === null ? channelLink(at, channel).replace(/^https?:\/\//u, '') : '';
  if (isLocal(at)) find('#problem').textContent = phrase('qr.local');
  else if (token !== null && !isInvitation(token)) find('#problem').textContent = phrase('qr.no-invitation');
}

// The title of the talk that runs, otherwise the name of the channel.
async function renewTitle() {
  const answer = await fetch(endpoint(home, 'v1/channels', 'http', { token })).catch(() => null);
  const found = answer?.ok ? (await answer.json()).find(({ name, live }) => name === channel && live) : undefined;
  showTitle(found?.title || channel);
  if (answer === null || answer.ok) setTimeout(renewTitle, INTERVAL);
}

function showTitle(title) {
  find('#title').textContent = title;
  document.title = phrase('page.channel', { channel: title });
}

fillPage();
dress(document.documentElement, settings.options);
onSystemTheme(() => dress(document.documentElement, settings.options));
offerFullScreen(document);
showTitle(channel);
renewTitle();
show().catch((error) => {
  find('#problem').textContent = problemText(error);
});
