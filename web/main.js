// The subtitle page of a channel, /c/NAME, and its overlay, /c/NAME?overlay=1.

import { dress, onSystemTheme } from './appearance.js';
import { keepAwake } from './awake.js';
import { Beside } from './beside.js';
import { BACKLOG } from './channel.js';
import { offerDownloads } from './downloads.js';
import { offerFullScreen } from './full_screen.js';
import { Invitation } from './invitation.js';
import { setLanguage } from './languages.js';
import { Metrics } from './metrics.js';
import { nearestChannel, suggest } from './nearest_channel.js';
import { OriginView } from './origin_view.js';
import { Pacer } from './pacer.js';
import { problemText } from './problems.js';
import { Record } from './record.js';
import { maySend } from './rights.js';
import { Screen } from './screen.js';
import { Settings } from './settings.js';
import { SettingsPanel } from './settings_panel.js';
import { Speech } from './speech.js';
import { describe, pauseText } from './status.js';
import { fillPage, inLanguage, phrase } from './strings.js';
import { Subtitles } from './subtitles.js';
import { Channel } from './surtitle.js';
import { token } from './token.js';
import { TrackChoice } from './track_choice.js';
import { Tracks } from './tracks.js';
import { endpoint } from './wire.js';

const LINES = 3; // displayed lines to assume for the pace if the option `lines` is not set

const UNUSED = 5_000; // ms without a sender, after which a channel that never had one may be misspelt

const UNINVITED = ['unauthorized', 'forbidden']; // codes of rejections

const root = document.documentElement;
const home = new URL('.', import.meta.url);
const name = decodeURIComponent(location.pathname.split('/').at(-1));
// The state of the page; `pause` and `interrupted` as in status.js.
const standing = { connection: { phase: 'connecting', again: false }, sender: false, problem: '', pause: null, ended: false, interrupted: false };

const settings = new Settings(root.dataset.mode, location.search);
const isPage = root.dataset.mode === 'page';
const screen = new Screen(document, { scrolls: isPage, onAway: showAway });
const record = new Record();
const metrics = new Metrics(document.querySelector('#metrics'));
const speech = new Speech();
const pacer = new Pacer(show);
const tracks = new Tracks(settings.options.track, settings.options.beside);
const beside = new Beside(document, { scrolls: isPage });
const channel = new Channel(home, name, {
  token,
  attention: isPage, // for the aligned words; only some streams have it
  backlog: isPage ? BACKLOG : null,
});
const invitation = new Invitation(document, home);
const choice = new TrackChoice(document, tracks, channel, {
  onChoice: (chosen) => settings.change(chosen),
  onSwitch: () => {
    subtitles = new Subtitles();
    beside.restart();
    showColumns();
  },
});
let subtitles = new Subtitles();

function apply(options) {
  dress(root, options);
  screen.set({ fade: options.fade });
  const pace = { pace: options.pace, hold: options.hold, room: (options.lines ?? LINES) * options.chars };
  pacer.set(pace);
  beside.set({ fade: options.fade, ...pace });
  metrics.showReading(options.pace > 0);
}

// Displays a change, when the pacer releases it.
function show(change, delay, past) {
  screen.apply(change, { past });
  if (change.kind === 'target') metrics.reading(delay);
  if (change.kind === 'sentence' && !past) speech.say(change.text);
}

function showAway(away) {
  root.toggleAttribute('data-away', away);
  document.querySelector('#to-live').hidden = !away;
}

// Nothing but an invitation helps: the page stops, and asks for one. An overlay has no user to enter one, and tries again.
function showRefused({ code, message }) {
  standing.problem = problemText({ code, message });
  if (isPage && UNINVITED.includes(code)) {
    channel.close();
    standing.connection = { phase: 'uninvited' };
    const plain = code === 'unauthorized' && !token; // the page asks for an invitation for the first time
    invitation.ask(plain ? '' : standing.problem);
  }
  showStanding();
}

async function offerConsole() {
  document.querySelector('#for-operators').hidden = !(await maySend(home, token));
}

function showStanding() {
  const { kind, text } = describe(standing);
  const state = document.querySelector('#state');
  state.textContent = text;
  state.dataset.kind = kind;
  root.toggleAttribute('data-lost', kind === 'lost');
}

// One column, or two if there is a second track.
function showColumns() {
  root.toggleAttribute('data-beside', tracks.beside !== null);
  if (tracks.beside?.target) setLanguage(document.querySelector('#beside'), tracks.beside.target);
}

function showModelName({ model, policy }) {
  document.querySelector('#model').textContent = `${model} · ${policy}`;
}

async function showModel(message) {
  const track = tracks.chosen ?? message;
  showModelName(track);
  const models = await (await fetch(endpoint(home, 'v1/models', 'http', { token }))).json();
  const known = models.find((other) => other.name === track.model);
  const target = track.target ?? known?.target;
  if (known) setLanguage(document.querySelector('#source'), known.source);
  if (!target) return;
  for (const where of ['#target', '#spoken']) setLanguage(document.querySelector(where), target);
  speech.language = target;
}

// `ready` and `state` have the same fields for the channel's sender.
function showSender(message) {
  const before = standing.sender || standing.ended || message.backlog !== undefined;
  standing.sender = message.stream !== undefined;
  standing.ended = !standing.sender && before;
  standing.problem = '';
  if (before || standing.sender) document.querySelector('#unused').hidden = true;
  else setTimeout(showUnused, UNUSED);
  if (standing.sender) {
    showHeading(message);
    if (message.after === undefined) metrics.clear();
    if (message.type === 'state') choice.forget();
    choice.offer(message.tracks ?? []);
    showColumns();
    showModel(message).catch((error) => console.warn('cannot load the languages of the models:', error));
  }
}

async function showUnused() {
  const used = standing.sender || standing.ended;
  document.querySelector('#unused').hidden = used;
  const like = used ? name : await nearestChannel(home, token, name);
  if (like && like !== name) suggest(document, home, token, `c/${like}`);
}

// Without a title, the name of the channel is shown.
function showHeading({ title = '', speaker = '' }) {
  document.querySelector('#channel').textContent = title || name;
  document.querySelector('#speaker').textContent = speaker;
  document.title = phrase('page.channel', { channel: title || name });
}

function received(message) {
  if (message.type === 'ready' || message.type === 'state') showSender(message);
  if (['ready', 'state', 'interruption'].includes(message.type)) standing.interrupted = message.interrupted !== undefined;
  if (message.type === 'heading') showHeading(message);
  standing.pause = pauseText(message, standing.pause);
  choice.hear(message);
  if (tracks.showsBeside(message)) beside.apply(message, channel.catchingUp);
  if (!tracks.shows(message)) return;
  for (const change of subtitles.apply(message)) {
    record.apply(change);
    pacer.push(change, { past: channel.catchingUp });
  }
  if (message.type === 'metrics' || message.type === 'sentence') metrics.apply(message);
  if (message.type === 'policy') {
    tracks.change(message);
    showModelName(message);
  }
  if (message.type === 'error') standing.problem = problemText(message);
  showStanding();
}

function watch() {
  channel.on('connection', (state) => {
    standing.connection = state;
    showStanding();
  });
  channel.on('refused', showRefused);
  channel.on('*', received);
  channel.open();
  window.addEventListener('online', () => channel.check());
  window.addEventListener('offline', () => channel.check());
  document.addEventListener('visibilitychange', () => channel.check());
}

fillPage();
for (const problem of settings.problems) console.warn(problem);
settings.onChange = apply;
apply(settings.options);
onSystemTheme(() => apply(settings.options));
new SettingsPanel(document, settings, speech, offerConsole);
new OriginView(document, screen);
keepAwake(document);
offerFullScreen(document);
offerDownloads(document, record, name);
document.querySelector('#to-live').addEventListener('click', () => {
  screen.jumpToEnd();
  beside.jumpToEnd();
  document.querySelector('#target').focus({ preventScroll: true });
});
document.querySelector('#unused span').textContent = name;
document.querySelector('#unused a').href = inLanguage(token === null ? '../' : `../?token=${encodeURIComponent(token)}`);
document.querySelector('#to-console').href = inLanguage(`../console?channel=${encodeURIComponent(name)}`);
showHeading({});
watch();
