// The page /player: the viewer's own video with subtitles, from a file or from the transcript of a channel.
//
// With ?channel=NAME it begins with that channel's transcript.

import { followTheme } from './appearance.js';
import { LocalFile } from './local_file.js';
import { fillPage, phrase } from './strings.js';
import { parseSubtitles } from './subtitle_file.js';
import { decodeText } from './text_file.js';
import { token } from './token.js';
import { endpoint } from './wire.js';

const home = new URL('.', import.meta.url);
const find = (selector) => document.querySelector(selector);
const video = find('video');
const track = video.addTextTrack('subtitles', phrase('player.subtitles'));
const file = new LocalFile(home);
let cues = [];

fillPage();
followTheme(document.documentElement, 'auto');

function showState(kind, text) {
  find('#state').dataset.kind = kind;
  find('#state').textContent = text;
}

// Shows an error of `work` in place of the last state.
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    showState('lost', error.message);
  }
}

function showCues() {
  const shift = Number(find('#shift').value);
  track.mode = 'showing';
  for (const cue of [...track.cues]) track.removeCue(cue);
  for (const { start, end, text } of cues) {
    if (end + shift > 0) track.addCue(new VTTCue(Math.max(0, start + shift), end + shift, text));
  }
}

function load(name, text) {
  cues = parseSubtitles(name, text);
  showCues();
  showState('live', phrase('player.loaded', { name, count: cues.length }));
}

async function loadChannel(name) {
  const answer = await fetch(endpoint(home, `v1/channels/${encodeURIComponent(name)}/transcript.vtt`, 'http', { token }));
  if (!answer.ok) throw new Error(phrase('player.no-transcript', { channel: name, message: (await answer.text()).trim() }));
  load(phrase('player.channel-name', { channel: name }), await answer.text());
}

find('#video').addEventListener('change', ({ target }) =>
  attempt(async () => {
    if (target.files[0]) video.src = await file.address(target.files[0]);
  }),
);
find('#subtitles').addEventListener('change', ({ target }) =>
  attempt(async () => {
    const [opened] = target.files;
    if (opened) load(opened.name, decodeText(opened.name, await opened.arrayBuffer()));
  }),
);
find('#choice').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(() => loadChannel(find('#channel').value));
});
find('#shift').addEventListener('input', showCues);
video.addEventListener('error', () =>
  showState('lost', phrase('player.not-played', { message: video.error.message || phrase('player.unknown-format') })),
);

find('#channel').value = new URLSearchParams(location.search).get('channel') ?? '';
if (find('#channel').value !== '') attempt(() => loadChannel(find('#channel').value));
