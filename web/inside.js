// The page /inside?channel=NAME, which shows the inside of a channel's translation; the default channel is main.

import { followTheme } from './appearance.js';
import { InsideView } from './inside_view.js';
import { OPTIONS } from './options.js';
import { problemText } from './problems.js';
import { describe } from './status.js';
import { fillPage, phrase } from './strings.js';
import { Channel } from './surtitle.js';
import { token } from './token.js';

const query = new URLSearchParams(location.search);
const name = query.get('channel') ?? 'main';
const home = new URL('.', import.meta.url);
const standing = { connection: { phase: 'connecting', again: false }, sender: false, problem: '' };

function showStanding() {
  const { kind, text } = describe(standing);
  const state = document.querySelector('#state');
  state.textContent = text;
  state.dataset.kind = kind;
}

fillPage();
followTheme(document.documentElement, OPTIONS.find((option) => option.name === 'theme').read(query.get('theme') ?? '') ?? 'auto');
document.querySelector('#channel').textContent = name;
document.title = phrase('page.channel-inside', { channel: name });
const view = new InsideView(document.querySelector('#inside'));
const channel = new Channel(home, name, { attention: true, token });
channel.on('connection', (connection) => {
  standing.connection = connection;
  showStanding();
});
channel.on('refused', (refused) => {
  standing.problem = problemText(refused);
  showStanding();
});
channel.on('*', (message) => {
  view.take(message);
  if (message.type === 'ready' || message.type === 'state') {
    standing.sender = message.stream !== undefined;
    standing.problem = '';
  }
  if (message.type === 'error') standing.problem = problemText(message);
  showStanding();
});
channel.open();
for (const event of ['online', 'offline']) window.addEventListener(event, () => channel.check());
document.addEventListener('visibilitychange', () => channel.check());
