// The subtitle page: shows the channel that its address names, ?channel=NAME, else main.

import { keepAwake } from './awake.js';
import { Connection } from './connection.js';
import { Metrics } from './metrics.js';
import { Screen } from './screen.js';
import { describe, isChannel } from './status.js';
import { Subtitles } from './subtitles.js';

const PROBE_TIMEOUT = 5_000; // ms

const channel = new URLSearchParams(location.search).get('channel') ?? 'main';
const standing = { connection: { phase: 'connecting', again: false }, sender: false, problem: '' };
const subtitles = new Subtitles();
const screen = new Screen(document);
const metrics = new Metrics(document.querySelector('#metrics'));

function here(path) {
  return new URL(path, document.baseURI);
}

function showStanding() {
  const { kind, text } = describe(standing);
  const state = document.querySelector('#state');
  state.textContent = text;
  state.dataset.kind = kind;
}

async function showModel(model, policy) {
  document.querySelector('#model').textContent = `${model} · ${policy}`;
  const models = await (await fetch(here('v1/models'))).json();
  const { source, target } = models.find(({ name }) => name === model);
  document.querySelector('#source').lang = source;
  document.querySelector('#target').lang = target;
  document.querySelector('#spoken').lang = target;
}

// A sender is there, or not: `ready` and `state` say so in the same fields.
function showSender(message) {
  standing.sender = message.stream !== undefined;
  standing.problem = '';
  if (standing.sender) {
    metrics.clear();
    showModel(message.model, message.policy).catch((error) => console.warn('no languages:', error));
  }
}

function received(message) {
  for (const change of subtitles.apply(message)) screen.apply(change);
  if (message.type === 'ready' || message.type === 'state') showSender(message);
  if (message.type === 'metrics' || message.type === 'sentence') metrics.apply(message);
  if (message.type === 'error') standing.problem = message.message;
  showStanding();
}

function watch() {
  const address = here(`v1/channels/${channel}`);
  address.protocol = address.protocol.replace('http', 'ws');
  const connection = new Connection(address.href, {
    onMessage: received,
    onState: (state) => {
      standing.connection = state;
      showStanding();
    },
    probe: () => fetch(here('healthz'), { signal: AbortSignal.timeout(PROBE_TIMEOUT) }),
  });
  connection.open();
  window.addEventListener('online', () => connection.check());
  window.addEventListener('offline', () => connection.check());
  document.addEventListener('visibilitychange', () => connection.check());
}

keepAwake(document);
document.querySelector('#channel').textContent = channel;
document.title = `${channel} · Surtitle`;
if (isChannel(channel)) {
  watch();
} else {
  standing.connection = { phase: 'refused' };
  showStanding();
}
