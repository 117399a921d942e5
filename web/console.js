// The operator's console, /console: sends words and shows their translation. ?channel=NAME chooses the channel.

import { dress } from './appearance.js';
import { Catalogue } from './console/catalogue.js';
import { isChannelName } from './channel_name.js';
import { Choice } from './console/choice.js';
import { Delays } from './console/delays.js';
import { setText } from './console/dom.js';
import { Figures } from './console/figures.js';
import { Keeper } from './console/keeper.js';
import { Notices } from './console/notices.js';
import { OtherStream } from './console/other_stream.js';
import { keepPauseText } from './console/pause_text.js';
import { Sentences } from './console/sentences.js';
import { Session } from './console/session.js';
import { Share } from './console/share.js';
import { Sources } from './console/sources.js';
import { describe } from './console/standing.js';
import { Table } from './console/table.js';
import { Transcripts } from './console/transcripts.js';
import { problemText } from './problems.js';
import { Settings } from './settings.js';
import { fillPage, inLanguage, phrase } from './strings.js';
import { token } from './token.js';

const SECOND = 1000; // ms

const home = new URL('.', import.meta.url);
const find = (selector) => document.querySelector(selector);
const settings = new Settings('page', '');
const session = new Session(home, token);
const sources = new Sources(document, session.outbox);
const notices = new Notices(document);
const keeper = new Keeper();
const share = new Share(document, home, token);
const other = new OtherStream(home, token);
const figures = new Figures(document);
const table = new Table(document);
const transcripts = new Transcripts(document, home, token);
let sentences = new Sentences();
let delays = new Delays();
let choice;
let holding = new Map(); // track -> {model, policy} in force, as requested
let pressed = false; // one of the stream's buttons was pressed and may lose the focus
let elsewhere = false; // another page of this browser has the channel's record
let last = null; // the name of the last stream of this page
let held = null; // the channel whose record this page has, or waits for
let known = false; // what the record has, or that another page has it
let drawn = true; // the page shows the outbox's present state

// A stream begins, runs or ends.
function busy() {
  return session.open || ['starting', 'resuming', 'finishing'].includes(session.phase);
}

function showState() {
  const { phase, problem, deadline, outbox } = session;
  const { kind, text, more } = describe({ phase, problem, deadline, now: Date.now(), outbox: outbox.standing });
  find('#state').dataset.kind = kind;
  setText(find('#state'), textOfOthers() ?? text);
  setText(find('#countdown'), more);
  find('#start').disabled = busy() || other.live;
}

// The state of a channel on which this page does not send, if another one sends or has sent there.
function textOfOthers() {
  if (elsewhere && session.phase === 'idle') return phrase('console.elsewhere');
  if (other.live) return phrase('run.other-live');
  return other.ended ? phrase('run.other-ended') : undefined;
}

// The stream of a closed page, or one that was lost, may still be this page's own.
function watchOther() {
  if (busy() || session.phase === 'lost') other.close();
  else if (known && !other.watching && isChannelName(held)) other.watch(held);
}

function showPhase() {
  watchOther();
  showState();
  const running = session.open;
  for (const id of ['pause', 'end-sentence', 'finish']) find(`#${id}`).disabled = !running;
  find('#pause').textContent = phrase(session.phase === 'paused' ? 'run.resume' : 'run.pause');
  choice.locked = busy();
  sources.going = session.phase === 'running';
  if (!busy() || running) moveFocus();
}

// If the pressed button is now disabled, moves the focus to the next useful element.
function moveFocus() {
  const { activeElement: focused } = document;
  const lost = pressed && (focused === document.body || focused.disabled);
  pressed = false;
  if (!lost) return;
  if (!session.open) find('#start').focus();
  else find(sources.chosen === 'typing' ? '#typed' : '#pause').focus();
}

function showStanding() {
  drawn = true;
  const { outbox } = session;
  const { waiting, text } = outbox.standing;
  const when = session.phase === 'paused' ? 'paused' : busy() ? 'soon' : 'start';
  setText(find('#kept'), waiting === 0 ? '' : phrase(`source.kept-${when}`, { count: waiting, text }));
  find('#drop-kept').hidden = waiting === 0 || busy();
  figures.stand(delays.standing(session.time), outbox.standing);
  showState();
}

// Draws at most once a frame, for any number of words.
function standingChanged() {
  if (!drawn) return;
  drawn = false;
  requestAnimationFrame(showStanding);
}

// Operators pass links to pages on to others, and these links therefore lack the operator's token. Links to the
// transcript, which are for the operator, have it.
function showChannel() {
  const channel = encodeURIComponent(choice.channel);
  const own = token === null ? '' : `?token=${encodeURIComponent(token)}`;
  find('#to-viewer').href = inLanguage(`c/${channel}`);
  find('#to-overlay').href = `c/${channel}?overlay=1`;
  find('#to-inside').href = inLanguage(`inside?channel=${channel}`);
  for (const link of document.querySelectorAll('[data-transcript]')) {
    link.href = `v1/channels/${channel}/transcript.${link.dataset.transcript}${own}`;
  }
  document.title = phrase('page.channel-console', { channel: choice.channel });
  share.channel = choice.channel;
  sources.language = choice.languages.source;
  if (choice.channel !== held) {
    hold(choice.channel);
    transcripts.load(choice.channel);
  }
}

// Takes over what a closed page of this channel has left, now or when another page is closed.
async function hold(channel) {
  held = channel;
  elsewhere = false;
  known = false;
  other.close();
  const { session: kept, sources: rest } = await keeper.hold(channel, () => {
    elsewhere = true;
    known = true;
    watchOther();
    showState();
  });
  elsewhere = false;
  if (rest) sources.restore(rest, kept?.stream != null);
  if (kept && !busy()) {
    if (kept.stream) choice.show(kept.stream.start);
    sources.language = choice.languages.source;
    await session.restore(kept);
  }
  keep();
  known = true;
  watchOther();
  showStanding();
}

function keep() {
  keeper.write('session', session.state);
  keeper.write('sources', sources.state);
}

function warn(warnings = []) {
  for (const warning of warnings) notices.tell('news', phrase('notices.warning', { warning }));
}

function begin({ stream, tracks, warnings, limits, title, speaker }) {
  last = stream;
  sentences = new Sentences();
  delays = new Delays(limits.silence_seconds);
  table.begin(choice.languages.source, tracks);
  figures.begin(tracks);
  notices.begin();
  holding = new Map(tracks.map(({ name, model, policy }) => [name, { model, policy }]));
  for (const [name, { model, policy }] of holding) choice.tracks.get(name).holds = phrase('choice.in-force', { model, policy });
  const resumed = session.phase === 'resuming';
  if (resumed) choice.restore(holding);
  if (resumed) choice.heading = { title, speaker };
  notices.tell('news', phrase(resumed ? 'notices.continues' : 'notices.begun', { channel: choice.channel }));
  warn(warnings);
}

function beginOther({ tracks = [] }) {
  sentences = new Sentences();
  table.begin(tracks[0]?.source ?? '', tracks);
}

function receivedOther(message) {
  const row = sentences.apply(message);
  if (row) table.show(row);
  share.apply(message);
}

function received(message) {
  const row = sentences.apply(message);
  if (row) table.show(row);
  delays.apply(message);
  if (message.type === 'metrics' || message.type === 'sentence') figures.measured(message);
  if (message.type === 'sentence') figures.compare(sentences.mean);
  share.apply(message);
  if (row) standingChanged();
}

function leftOut({ sentence, untranslated = 0 }) {
  if (untranslated === 0) return;
  notices.tell('error', phrase('notices.left-out', { sentence: sentence + 1, count: untranslated }));
}

function policyChanged(message) {
  const { track = '', sentence, model, policy, by_lag: byLag } = message;
  const which = choice.tracks.get('second').shown ? `${phrase(track === '' ? 'table.first' : 'table.second')}: ` : '';
  const event = { model, policy, sentence: sentence + 1 };
  if (!byLag) holding.set(track, { model, policy });
  const holds = byLag ? phrase('choice.as', { policy: holding.get(track).policy, held: policy }) : policy;
  figures.name(message);
  table.note(message);
  choice.tracks.get(track).holds = phrase('choice.in-force-from', { ...event, policy: holds });
  notices.tell('news', which + phrase(byLag ? 'notices.policy-by-lag' : 'notices.policy', event));
  warn(message.warnings);
}

// Resets the form to the values in force.
function refusedChange({ code }) {
  if (code === 'not-configured') choice.restore(holding);
}

function tellPhase(phase) {
  const { problem } = session;
  if (phase === 'paused') notices.tell('news', phrase('notices.paused'));
  if (phase === 'finished') notices.tell('news', phrase('notices.finished'));
  if (phase === 'refused') notices.tell('error', phrase('run.refused', { problem }));
  if (phase === 'lost' || phase === 'finished') {
    away = false;
    transcripts.load(choice.channel, last);
  }
  if (phase !== 'lost') return;
  notices.tell('error', phrase('notices.lost', { problem, count: session.outbox.standing.waiting }));
}

let away = false;

// Adds one notice for a loss, for any number of attempts to reconnect.
function tellConnection({ phase }) {
  if (phase === 'open' && away) notices.tell('news', phrase('notices.reconnected'));
  if (phase === 'waiting' && !away) notices.tell('error', phrase('notices.disconnected'));
  away = phase === 'waiting' || (away && phase !== 'open');
}

function listen() {
  other.onChange = showState;
  other.onBegin = beginOther;
  other.onMessage = receivedOther;
  session.on('ready', begin);
  session.on('*', received);
  session.on('policy', policyChanged);
  session.on('connection', tellConnection);
  session.on('resumed', ({ warnings }) => warn(warnings));
  session.on('gap', () => notices.tell('error', phrase('notices.gap')));
  session.on('connection', showState);
  session.on('viewers', ({ viewers }) => figures.watched(viewers));
  session.on('sentence', leftOut);
  session.on('revision', (revision) => notices.revise(revision));
  session.on('error', (error) => notices.tell('error', problemText(error)));
  session.on('error', refusedChange);
  session.on('phase', showPhase);
  session.on('phase', tellPhase);
  session.outbox.onChange = standingChanged;
  session.outbox.onSentenceEnd = () => delays.ended(session.time);
  session.outbox.onProblem = (text) => notices.tell('error', text);
  session.keep = () => keeper.write('session', session.state);
  sources.keep = () => keeper.write('sources', sources.state);
  keeper.onProblem = (text) => notices.tell('error', text);
  sources.onProblem = (text) => notices.tell('error', text);
  sources.onChange = () => (choice.source = sources.chosen);
  find('#run').addEventListener('click', () => (pressed = true), { capture: true });
  find('#start').addEventListener('click', start);
  find('#pause').addEventListener('click', () => (session.phase === 'paused' ? session.goOn() : pause()));
  find('#end-sentence').addEventListener('click', endSentence);
  find('#finish').addEventListener('click', finish);
  find('#theme').addEventListener('change', ({ target }) => settings.change({ theme: target.value }));
  settings.onChange = (options) => dress(document.documentElement, options);
  find('#drop-kept').addEventListener('click', () => session.outbox.discard());
  window.addEventListener('offline', () => session.check());
  // Only a daemon without a journal loses a stream with its page.
  window.addEventListener('beforeunload', (event) => session.open && !session.resumable && event.preventDefault());
  setInterval(showStanding, SECOND);
}

function start() {
  if (!choice.valid) return;
  sources.language = choice.languages.source;
  session.start(choice.start);
}

function pause() {
  const text = find('#pause-text').value.trim();
  if (text !== '') sources.complete();
  session.pause(text);
}

function endSentence() {
  sources.complete();
  session.outbox.endSentence();
}

function finish() {
  sources.complete();
  sources.going = false;
  session.finish(sources.silent());
}

async function open() {
  fillPage();
  dress(document.documentElement, settings.options);
  find('#theme').value = settings.options.theme;
  keepPauseText(find('#pause-text'));
  try {
    const catalogue = await Catalogue.load(home, token);
    choice = new Choice(document, catalogue, new URLSearchParams(location.search).get('channel'));
  } catch (error) {
    find('#state').dataset.kind = 'lost';
    find('#state').textContent = phrase('console.no-models', { message: problemText(error) });
    return;
  }
  choice.onChange = showChannel;
  choice.onTrack = (change) => session.open && session.configure(change);
  choice.onGlossary = (glossary) => session.open && session.configure({ glossary });
  choice.onForm = (form) => session.open && session.configure({ source_form: form });
  choice.onHeading = (heading) => session.open && session.configure(heading);
  sources.chosen = choice.source;
  listen();
  showChannel();
  showPhase();
  showStanding();
}

open();
