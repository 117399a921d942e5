// The list of the channels that this visitor may view, which renews itself.

import { followTheme } from './appearance.js';
import { Invitation } from './invitation.js';
import { languageName } from './languages.js';
import { problemOf, problemText } from './problems.js';
import { maySend } from './rights.js';
import { fillPage, inLanguage, phrase } from './strings.js';
import { token } from './token.js';

const INTERVAL = 5_000; // ms
const TRANSCRIPTS = ['html', 'txt', 'vtt', 'srt']; // the first is a page to read, the others are files

const home = new URL('.', import.meta.url);
const state = document.getElementById('state');
const invitation = new Invitation(document, home);
let shown = '';

function withToken(path) {
  return token === null ? path : `${path}?token=${encodeURIComponent(token)}`;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// "German → English, French"
function languages(tracks) {
  const sources = new Set(tracks.map(({ source }) => source).filter(Boolean).map((source) => languageName(source)));
  const targets = new Set(tracks.map(({ target }) => languageName(target)));
  return [[...sources].join(', '), [...targets].join(', ')].filter(Boolean).join(' → ');
}

function transcripts(name) {
  const links = TRANSCRIPTS.map((format) => {
    const download = format !== 'html' && { download: `${name}.${format}` };
    return element('a', { href: withToken(`v1/channels/${name}/transcript.${format}`), textContent: format, ...download });
  });
  return element('p', { className: 'transcripts' }, phrase('channels.transcript'), ...links);
}

function row({ name, title = '', speaker = '', live, interrupted, viewers, sentences, tracks }) {
  const about = [title && name, languages(tracks), live && phrase('channels.viewers', { count: viewers }), phrase('channels.sentences', { count: sentences })];
  return element('li', {},
    element('a', { className: 'name', href: inLanguage(withToken(`c/${name}`)), textContent: title || name, dir: 'auto' }),
    ...(speaker ? [element('p', { className: 'speaker', textContent: speaker, dir: 'auto' })] : []),
    ...(interrupted ? [element('p', { className: 'interrupted', textContent: phrase('state.interrupted') })] : []),
    element('p', { className: 'about', textContent: about.filter(Boolean).join(' · ') }),
    ...(sentences > 0 ? [transcripts(name)] : []));
}

function fill(section, channels) {
  section.querySelector('ul').replaceChildren(...channels.map(row));
  const none = section.querySelector('.none');
  if (none) none.hidden = channels.length > 0;
  else section.hidden = channels.length === 0;
}

// An unchanged list stays: a link keeps its focus.
function show(channels) {
  const text = JSON.stringify(channels);
  if (text === shown) return;
  shown = text;
  fill(document.getElementById('live'), channels.filter(({ live }) => live));
  fill(document.getElementById('recent'), channels.filter(({ live }) => !live));
}

function report(text, kind = '') {
  if (state.textContent !== text) state.textContent = text;
  state.dataset.kind = kind;
}

async function offerConsole() {
  document.querySelector('#operator').hidden = !(await maySend(home, token));
}

// Nothing but an invitation helps: the page stops, and asks for one.
async function askForInvitation(answer) {
  report(phrase('state.uninvited'), 'error');
  invitation.ask(token === null ? '' : problemText(await problemOf(answer)));
}

async function renew() {
  try {
    const answer = await fetch(withToken('v1/channels'));
    if (answer.ok) {
      if (shown === '') offerConsole();
      show(await answer.json());
      report('');
    } else if (answer.status === 401 || answer.status === 403) {
      return await askForInvitation(answer);
    } else {
      report(phrase('channels.refused', { status: `${answer.status}` }), 'error');
    }
  } catch {
    report(phrase('channels.lost'), 'error');
  }
  setTimeout(renew, INTERVAL);
}

fillPage();
followTheme(document.documentElement, 'auto');
document.querySelector('#operator a').href = inLanguage(withToken('console'));
renew();
