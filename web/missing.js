// The page of an address that does not exist, with ways on.

import { followTheme } from './appearance.js';
import { nearestChannel, suggest } from './nearest_channel.js';
import { fillPage, inLanguage } from './strings.js';
import { token } from './token.js';
import { endpoint } from './wire.js';

const PAGES = ['console', 'inside', 'player', 'qr'];

const home = new URL('.', import.meta.url);

// Returns the path below the daemon's address, or '' if it is not valid.
function wanted() {
  try {
    return decodeURIComponent(location.pathname.slice(home.pathname.length));
  } catch {
    return '';
  }
}

async function suggestPage(path) {
  const page = PAGES.find((name) => name === path.toLowerCase().replace(/\W+$/u, ''));
  if (page) return suggest(document, home, token, page);
  const channel = await nearestChannel(home, token, path.replace(/^c\//iu, ''));
  if (channel) suggest(document, home, token, `c/${channel}`);
}

fillPage();
followTheme(document.documentElement, 'auto');
document.querySelector('#all').href = inLanguage(endpoint(home, './', 'http', { token }));
suggestPage(wanted());
